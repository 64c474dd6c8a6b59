#!/bin/sh
# Installs Backstory: downloads the archive for this system, verifies its checksum, and puts one program into ~/.local/bin.
# Nothing else is written, nothing is run as root, and no file of yours is changed.
#
#   BACKSTORY_BIN_DIR      another folder than ~/.local/bin
#   BACKSTORY_RELEASES     another place than the release this script belongs to: https://…, file://… or http://127.0.0.1…
#   BACKSTORY_TARGET       another system than the one this runs on, such as x86_64-unknown-linux-musl
set -eu

releases=${BACKSTORY_RELEASES:-@RELEASES@}

say() { printf '%s\n' "$*"; }
fail() {
    say "error: $1" >&2
    [ $# -lt 2 ] || say "hint: $2" >&2
    exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

system() {
    machine=$(uname -m)
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "there is no build for $machine" "build it: https://www.rust-lang.org/tools/install, then cargo install --locked --path crates/cli" ;;
    esac
    case $(uname -s) in
        Linux)
            # A system on musl says so when its loader is asked.
            if (ldd --version 2>&1 || true) | grep -qi musl; then say "$machine-unknown-linux-musl"; else say "$machine-unknown-linux-gnu"; fi
            ;;
        Darwin)
            # A shell that Rosetta translates calls itself x86_64.
            [ "$(sysctl -n hw.optional.arm64 2>/dev/null || true)" != 1 ] || machine=aarch64
            say "$machine-apple-darwin"
            ;;
        *) fail "there is no build for $(uname -s)" "on Windows use the PowerShell installer" ;;
    esac
}

# Only what nobody in between can change, or what does not leave this machine.
refuse_open_address() {
    case $releases in
        https://* | file://* | http://127.0.0.1:* | http://localhost:*) ;;
        @*) fail "this copy of the installer does not know where releases are" "set BACKSTORY_RELEASES" ;;
        *) fail "$releases is not an https address" ;;
    esac
}

download() {
    case $1 in
        file://*) cp "${1#file://}" "$2" ;;
        https://*)
            if has curl; then curl --proto '=https' --tlsv1.2 -fsSL -o "$2" "$1"
            elif has wget; then wget --https-only -qO "$2" "$1"
            else fail "neither curl nor wget is installed"; fi
            ;;
        *) if has curl; then curl -fsS -o "$2" "$1"; else wget -qO "$2" "$1"; fi ;;
    esac || fail "cannot download $1" "is there a build for this system? BACKSTORY_TARGET names another one"
}

digest() {
    if has sha256sum; then sha256sum "$1" | cut -d ' ' -f 1
    elif has shasum; then shasum -a 256 "$1" | cut -d ' ' -f 1
    elif has openssl; then openssl dgst -sha256 "$1" | sed 's/.*= *//'
    else fail "nothing here can compute a SHA-256 checksum" "install coreutils"; fi
}

main() {
    [ -n "${HOME:-}" ] || fail "HOME is not set"
    folder=${BACKSTORY_BIN_DIR:-$HOME/.local/bin}
    refuse_open_address
    target=${BACKSTORY_TARGET:-$(system)}
    archive=backstory-$target.tar.gz

    work=$(mktemp -d)
    draft=
    trap 'rm -rf "$work" ${draft:+"$draft"}' EXIT
    trap 'exit 130' INT TERM
    say "downloading $releases/$archive"
    download "$releases/SHA256SUMS" "$work/SHA256SUMS"
    download "$releases/$archive" "$work/$archive"

    wanted=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
    [ -n "$wanted" ] || fail "SHA256SUMS does not name $archive"
    found=$(digest "$work/$archive")
    [ "$wanted" = "$found" ] || fail "the checksum of $archive is $found, not $wanted: nothing was installed"

    tar -xzf "$work/$archive" -C "$work"
    program=$work/backstory-$target/backstory
    version=$("$program" -V) || fail "the program does not run on this system" "BACKSTORY_TARGET=$(uname -m)-unknown-linux-musl needs no library of the system"

    place=$folder/backstory
    if [ -e "$place" ]; then
        case $("$place" -V 2>/dev/null || true) in
            "backstory "*) ;;
            *) fail "$place is another program of that name, and was left alone" "BACKSTORY_BIN_DIR names another folder" ;;
        esac
    fi
    mkdir -p "$folder"
    # Beside its place and then renamed: a program that is running there goes on undisturbed.
    draft=$folder/.backstory.$$
    cp "$program" "$draft"
    chmod 755 "$draft"
    mv -f "$draft" "$place"
    draft=

    say "installed  $version as $place"
    case :${PATH:-}: in
        *:"$folder":*) say "next       backstory setup" ;;
        *)
            say "next       $place setup"
            say "           add $folder to your PATH to run it by its name"
            ;;
    esac
}

# Called at the end, so that a script that was downloaded in part does nothing.
main
