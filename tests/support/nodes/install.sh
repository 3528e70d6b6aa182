#!/bin/sh
# Brings the nodes that tests start (bitcoind of Bitcoin Knots, litecoind, monerod with monero-wallet-rpc) from Debian
# into a private folder: nothing of the system changes, and no root is needed. They run with their own C library, so an
# older Debian can run them. The newest version the mirror has is taken; what it does not have is said, and the exit
# status is 1 then, with the others in place all the same.
#
#   tests/support/nodes/install.sh [folder]     default: .nodes in the checkout; programs are in <folder>/run
#
# Does nothing where all are there: remove the folder to bring newer ones.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd -P)
folder=${1:-$root/.nodes}
mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd -P)
suite=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
missing=

die() {
  printf 'test nodes: %s\n' "$1" >&2
  exit 1
}

# package_programs <package>: path of each program below usr/, and the name it gets
package_programs() {
  case $1 in
    bitcoin-knots) printf '%s\n' bin/bitcoind ;;
    # usr/bin/litecoind is a wrapper that writes into the home folder
    litecoind) printf '%s\n' lib/litecoin/litecoind ;;
    monero) printf '%s\n' bin/monerod bin/monero-wallet-rpc ;;
  esac
}

has_all_programs() {
  for program in $(package_programs "$1"); do
    [ -x "$folder/run/${program##*/}" ] || return 1
  done
}

# The system's apt with lists, cache and records of our own, and an empty record of what is installed, so that every
# library the nodes need is downloaded.
private_apt() {
  command=$1
  shift
  "$command" -q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences="$apt/preferences" -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
    -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 "$@"
}

# The mirror of the system's own packages; the one of security updates has no backports.
mirror() {
  apt-get indextargets --format '$(CREATED_BY) $(COMPONENT) $(REPO_URI)' |
    awk '$1 == "Packages" && $2 == "main" && $3 !~ /security/ { print $3; exit }'
}

prepare_apt() {
  command -v apt-get >/dev/null || die 'this machine has no apt-get; the nodes come from Debian packages.'
  [ -r "$keyring" ] || die "$keyring is missing; it comes with the package debian-archive-keyring."
  uri=$(mirror)
  [ -n "$uri" ] || die 'apt on this machine has no mirror to take packages from.'
  rm -rf "$apt"
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
  : >"$apt/status"
  for release in "$suite" "$suite-backports"; do
    printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$uri" "$release"
  done >"$apt/sources.list"
  # backports count like the release itself: the newest version wins
  printf 'Package: *\nPin: release n=%s-backports\nPin-Priority: 500\n' "$suite" >"$apt/preferences"
  private_apt apt-get update >"$apt/said" 2>&1 || {
    cat "$apt/said" >&2
    die "the packages of Debian $suite cannot be listed at $uri."
  }
}

bring() {
  package=$1
  if ! private_apt apt-cache policy "$package" | grep -q '^ *Candidate: [0-9]'; then
    printf 'test nodes: the mirror has no package %s\n' "$package" >&2
    return 1
  fi
  rm -f "$apt"/cache/archives/*.deb
  private_apt apt-get install -d -y --no-install-recommends "$package" >"$apt/said" 2>&1 || {
    cat "$apt/said" >&2
    printf 'test nodes: %s could not be downloaded\n' "$package" >&2
    return 1
  }
  # libraries are all that they need of the other packages
  for archive in "$apt"/cache/archives/"$package"_*.deb "$apt"/cache/archives/lib*.deb; do
    dpkg-deb -x "$archive" "$folder/root"
  done
  linker=$(find "$folder/root/usr/lib" -name 'ld-linux*.so.*' | head -n 1)
  [ -n "$linker" ] || die 'the C library of the packages has no dynamic linker.'
  for program in $(package_programs "$package"); do
    start="$folder/run/${program##*/}"
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' \
      "$linker" "${linker%/*}" "$folder/root/usr/$program" >"$start.new"
    chmod +x "$start.new"
    "$start.new" --version >"$apt/said" 2>&1 || {
      cat "$apt/said" >&2
      printf 'test nodes: %s does not run on this machine\n' "${program##*/}" >&2
      return 1
    }
    mv "$start.new" "$start"
    head -n 1 "$apt/said"
  done
}

apt=$folder/apt
mkdir -p "$folder/root" "$folder/run"
prepared=
for package in bitcoin-knots litecoind monero; do
  if has_all_programs "$package"; then continue; fi
  if [ -z "$prepared" ]; then
    prepare_apt
    prepared=1
  fi
  bring "$package" || missing="$missing $package"
done
rm -rf "$apt"
[ -z "$missing" ] || die "not there:$missing. Tests that need them are skipped, or fail with REQUIRE_ALL=1."
