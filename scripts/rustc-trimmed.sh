#!/bin/sh
# Called by cargo in place of rustc (.cargo/config.toml): a release build says where its sources are without the paths of the machine
# that builds it, so that the binary is the same wherever it is built. What `trim-paths` of cargo's profiles does, once that is stable here.
case " $* " in
  *" opt-level=3 "* | *" strip=debuginfo "*)
    registry=${CARGO_HOME:-$HOME/.cargo}
    root=$(cd "$(dirname "$0")/.." && pwd)
    # The last prefix that fits is taken.
    exec "$@" --remap-path-prefix "$HOME=/home" --remap-path-prefix "$registry=/cargo" --remap-path-prefix "$root=/refdesk" \
      --remap-path-prefix "${CARGO_TARGET_DIR:-$root/target}=/target"
    ;;
esac
exec "$@"
