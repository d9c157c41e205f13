#!/usr/bin/env bash
# Runs the GPU tests, then a reduced set of them under each tool of compute-sanitizer, which must first catch a planted fault.
# One test needs several GPUs, and is skipped, saying so, on a machine with one.
# run-gpu.sh [--quick] [--no-sanitizers]
set -uo pipefail
cd "$(dirname "$0")" || exit 2

filter="" sanitizers=${SANITIZERS-memcheck racecheck initcheck synccheck}
for argument in "$@"; do
    case $argument in
    --quick) filter=quick ;;
    --no-sanitizers) sanitizers="" ;;
    *) sed -n 's/^# run-gpu.sh/usage: run-gpu.sh/p' "$0"; exit 2 ;;
    esac
done
logs=${LOGS:-logs}
mkdir -p "$logs" || exit 2

passed=() failed=() skipped=()
result() { # result NAME STATUS SECONDS
    if [[ $2 == 0 ]]; then passed+=("$1 ($3 s)"); else failed+=("$1"); fi
    printf -- '--- %s: %s after %s s\n' "$1" "$([[ $2 == 0 ]] && echo passed || echo FAILED)" "$3"
}

step() { # step NAME COMMAND...
    local name=$1 begin=$SECONDS status
    shift
    printf '\n=== %s: %s\n' "$name" "$*"
    "$@" 2>&1 | tee "$logs/$name.log"
    status=${PIPESTATUS[0]}
    result "$name" "$status" "$((SECONDS - begin))"
    return "$status"
}

# The number of errors in a sanitizer's log; nothing where there is no summary.
errors() {
    sed -n -e 's/.*ERROR SUMMARY: \([0-9]*\) error.*/\1/p' \
        -e 's/.*RACECHECK SUMMARY: \([0-9]*\) hazard.*/\1/p' "$1" | tail -n 1
}

sanitize() { # sanitize TOOL CANARY
    local tool=$1 canary=$2 log found begin=$SECONDS
    log=$logs/$tool-canary.log
    printf '\n=== %s: the canary `%s`\n' "$tool" "$canary"
    "$sanitizer" --tool "$tool" ./gpu-tests --sanitizer-canary="$canary" >"$log" 2>&1
    found=$(errors "$log")
    if grep -q 'Device not supported' "$log"; then
        skipped+=("$tool: compute-sanitizer does not support this device or machine")
        tail -n 5 "$log"
        return
    fi
    if [[ ${found:-0} == 0 ]]; then
        tail -n 20 "$log"
        result "$tool-canary" 1 "$((SECONDS - begin))"
        return
    fi
    grep -m 3 '=========' "$log"
    result "$tool-canary" 0 "$((SECONDS - begin))"

    begin=$SECONDS
    log=$logs/$tool.log
    printf '\n=== %s: the reduced set\n' "$tool"
    "$sanitizer" --tool "$tool" --error-exitcode 9 ./gpu-tests --require-gpu quick 2>&1 | tee "$log" | tail -n 40
    local status=${PIPESTATUS[0]}
    found=$(errors "$log")
    [[ $status == 0 && ${found:-none} == 0 ]]
    result "$tool" "$?" "$((SECONDS - begin))"
}

step tests ./gpu-tests --require-gpu $filter
step nearest-digits ./nearest-digits

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
for tool in $sanitizers; do
    case $tool in
    memcheck) canary=oob ;;
    racecheck) canary=race ;;
    initcheck) canary=uninit ;;
    synccheck) canary=sync ;;
    *) failed+=("$tool: no such tool"); continue ;;
    esac
    if [[ -z $sanitizer ]]; then
        skipped+=("$tool: there is no compute-sanitizer on this machine")
    else
        sanitize "$tool" "$canary"
    fi
done
[[ -n $sanitizers ]] || skipped+=("sanitizers: not asked for")

printf '\n=== summary, %s s\n' "$SECONDS"
grep -h '^# ' "$logs/tests.log"
grep -h '^test result' "$logs/tests.log"
printf 'passed:  %s\n' "${passed[@]}"
((${#skipped[@]} == 0)) || printf 'SKIPPED: %s\n' "${skipped[@]}"
((${#failed[@]} == 0)) || printf 'FAILED:  %s\n' "${failed[@]}"
((${#failed[@]} == 0))
