#!/usr/bin/env bash
# Finds a heapviz for the action: the released binary of the version that the workflow asks for (`uses:
# OWNER/heapviz@v1.2.3`), if there is one for this machine and its checksum is right, or else one that was
# built before, or one that is built now. Writes its path to the outputs of the step.
set -uo pipefail
here=${GITHUB_ACTION_PATH:?}
folder=${HEAPVIZ_BIN:?}
outputs=${GITHUB_OUTPUT:-/dev/null}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -1)

found() {
    echo "heapviz=$1" >> "$outputs"
    "$1" --version
    exit
}

target() {
    case "$(uname -s) $(uname -m)" in
        'Linux x86_64') echo x86_64-unknown-linux-musl ;;
        'Linux aarch64') echo aarch64-unknown-linux-musl ;;
        'Darwin arm64') echo aarch64-apple-darwin ;;
        'Darwin x86_64') echo x86_64-apple-darwin ;;
        MINGW* | MSYS*) echo x86_64-pc-windows-msvc ;;
    esac
}

sum() {
    if command -v sha256sum > /dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi
}

# A branch or a commit may differ from the release of its version.
released() {
    [ "${GITHUB_ACTION_REF:-}" = "v$version" ] && [ -n "${GITHUB_ACTION_REPOSITORY:-}" ] || return 1
    local name url
    name="heapviz-$version-$(target)"
    url="https://github.com/$GITHUB_ACTION_REPOSITORY/releases/download/v$version"
    (
        cd "$folder" &&
            curl -fsSL --retry 3 -o "$name.tar.gz" "$url/$name.tar.gz" &&
            curl -fsSL --retry 3 -o SHA256SUMS "$url/SHA256SUMS" &&
            wanted=$(sed -n "s/^\([0-9a-f]*\) [ *]$name\.tar\.gz\$/\1/p" SHA256SUMS) &&
            [ "${#wanted}" = 64 ] && [ "$(sum "$name.tar.gz" | cut -d' ' -f1)" = "$wanted" ] &&
            tar -xzf "$name.tar.gz" && mv "$name"/heapviz* .
    )
}

mkdir -p "$folder" || exit 1
for binary in "$folder/bin/heapviz" "$folder/bin/heapviz.exe"; do
    [ -x "$binary" ] && found "$binary"
done
if released; then
    for binary in "$folder/heapviz" "$folder/heapviz.exe"; do
        [ -x "$binary" ] && found "$binary"
    done
fi
echo "no released binary of $version for this machine and this ref: building it"
cargo install --locked --path "$here" --root "$folder" || {
    echo '::error title=heapviz::it could not be built: is there a Rust toolchain (rustup)?'
    exit 1
}
for binary in "$folder/bin/heapviz" "$folder/bin/heapviz.exe"; do
    [ -x "$binary" ] && found "$binary"
done
exit 1
