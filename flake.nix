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
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          version = manifest.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          # The tests compare with programs that are not part of a build: browsers, Python, hp2ps.
          doCheck = false;
          meta = {
            description = manifest.description;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "heapviz";
          };
        };
      });

      devShells = forEach (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [ cargo rustc rustfmt clippy python3 ghostscript ghc ]
            ++ pkgs.lib.optionals pkgs.stdenv.isLinux [ chromium valgrind ];
        };
      });
    };
}
