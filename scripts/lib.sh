# Shared by scripts/start and scripts/test (POSIX sh, sourced with $root set): prepare_checkout gets the pinned Bun,
# installs what bun.lock says and makes `npx bun` work here. Quiet unless something fails; quick when nothing changed.

# The Bun to run things with, set by prepare_checkout.
bun=

prepare_checkout() {
  bun_version=$(sed -n 's/^ *"bun": "\([0-9.]*\)".*/\1/p' "$root/package.json")
  bun=$(find_bun) || {
    fetch_bun
    bun=$(find_bun) || die "npm fetched Bun $bun_version, but none of its binaries runs on this machine."
  }
  install_packages
  link_local_bun
}

# Prints the path of a Bun of the pinned minor version: the one on PATH, or the one of an earlier install.
find_bun() {
  for candidate in "$(command -v bun 2>/dev/null)" \
    "$root"/node_modules/@oven/*/bin/bun "$root"/.bun/node_modules/@oven/*/bin/bun; do
    if is_right_bun "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

is_right_bun() {
  [ -f "$1" ] && [ -x "$1" ] || return 1
  case $("$1" --version 2>/dev/null) in
    "${bun_version%.*}".*) return 0 ;;
    *) return 1 ;;
  esac
}

# The package `bun` holds a placeholder until its install script has run; the binary itself is in the package of the
# platform, which comes with it, so no install script is needed. A Bun of another version can fetch it too.
fetch_bun() {
  mkdir -p "$root/.bun"
  if command -v npm >/dev/null 2>&1; then
    run_quietly "fetch Bun $bun_version with npm" npm install --prefix "$root/.bun" --no-save --ignore-scripts \
      --no-audit --no-fund --no-package-lock "bun@$bun_version"
  elif command -v bun >/dev/null 2>&1; then
    [ -f "$root/.bun/package.json" ] || printf '{ "private": true }\n' >"$root/.bun/package.json"
    run_quietly "fetch Bun $bun_version" bun add --cwd "$root/.bun" --ignore-scripts "bun@$bun_version"
  else
    die "Quittance needs Node.js with npm, or Bun ${bun_version%.*}, on PATH. Neither is there."
  fi
  # a package manager may drop the executable bit where it expects the install script to set it
  chmod a+x "$root"/.bun/node_modules/@oven/*/bin/bun 2>/dev/null || :
}

install_packages() {
  stamp="$root/node_modules/.installed"
  wanted=$(cat "$root/bun.lock" "$root/package.json" | cksum)
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then return 0; fi
  run_quietly 'install the packages of bun.lock' \
    "$bun" install --cwd "$root" --frozen-lockfile --ignore-scripts
  printf '%s\n' "$wanted" >"$stamp"
}

# npx runs node_modules/.bin/bun, which leads to the placeholder. Its file is shared with the package manager's cache,
# so it is replaced, never written to.
link_local_bun() {
  [ -d "$root/node_modules/bun/bin" ] || return 0
  target=
  for candidate in "$root"/node_modules/@oven/*/bin/bun; do
    chmod a+x "$candidate" 2>/dev/null || :
    if is_right_bun "$candidate"; then target="../../${candidate#"$root"/node_modules/}"; fi
  done
  [ -n "$target" ] || target=$bun
  for name in bun bunx; do
    place="$root/node_modules/bun/bin/$name.exe"
    if [ "$(readlink "$place" 2>/dev/null)" = "$target" ]; then continue; fi
    ln -sf "$target" "$place.$$" && mv -f "$place.$$" "$place"
  done
}

# Runs a command in the background of this shell, so that a signal to us reaches it at once; shows its words only when
# it fails.
run_quietly() {
  what=$1
  shift
  said=$(mktemp) || die 'No temporary file can be made.'
  "$@" >"$said" 2>&1 &
  child=$!
  trap 'kill "$child" 2>/dev/null; wait "$child" 2>/dev/null; rm -f "$said"; exit 143' TERM
  trap 'kill "$child" 2>/dev/null; wait "$child" 2>/dev/null; rm -f "$said"; exit 130' INT
  status=0
  wait "$child" || status=$?
  trap - TERM INT
  if [ "$status" -ne 0 ]; then
    cat "$said" >&2
    rm -f "$said"
    die "Could not $what (status $status); what it said is above."
  fi
  rm -f "$said"
}

die() {
  printf '%s\n' "$1" >&2
  exit 1
}
