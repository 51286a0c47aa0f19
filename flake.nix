# `nix run . -- prog.eventlog` draws a profile, `nix build` makes the binary, `nix develop` provides the
# programs that the tests use.
{
  description = "heapviz draws the heap profiles of Haskell programs";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forEach = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      manifest = (nixpkgs.lib.importTOML ./Cargo.toml).package;
      heapviz = pkgs: pkgs.rustPlatform.buildRustPackage {
        pname = manifest.name;
        version = manifest.version;
        src = self;
        cargoLock.lockFile = ./Cargo.lock;
        env.HEAPVIZ_COMMIT = self.rev or "";
        nativeBuildInputs = [ pkgs.installShellFiles ];
        # The other tests compare with programs that are not part of a build: browsers, Python, hp2ps.
        cargoTestFlags = [ "--lib" ];
        postInstall = pkgs.lib.optionalString
          (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
          bash .ci/package $out/bin/heapviz files
          installManPage files/man/*.1
          installShellCompletion --cmd heapviz --bash files/completions/heapviz.bash \
            --fish files/completions/heapviz.fish --zsh files/completions/_heapviz
        '';
        meta = {
          description = manifest.description;
          license = with pkgs.lib.licenses; [ mit asl20 ];
          mainProgram = "heapviz";
        };
      };
    in
    {
      packages = forEach (pkgs: { default = heapviz pkgs; });
      checks = forEach (pkgs: { default = heapviz pkgs; });
      overlays.default = final: _: { heapviz = heapviz final; };

      devShells = forEach (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [ cargo rustc rustfmt clippy python3 ghostscript ghc ]
            ++ pkgs.lib.optionals pkgs.stdenv.isLinux [ chromium valgrind ];
        };
      });
    };
}
