#!/usr/bin/env bash
# Real servers for the tests, from artifacts on Maven Central: needs a JDK and Maven.
#
#   tests/nodes/nodes.sh up [NAME…]     lays out homes that are not there yet, starts the nodes, prints NAME=ADDRESS
#   tests/nodes/nodes.sh down [NAME…]   stops them by their process ids
#   tests/nodes/nodes.sh lay [NAME…]    lays out homes only
#   tests/nodes/nodes.sh list           NAME=ADDRESS of what runs
#   tests/nodes/nodes.sh pause NAME, resume NAME, crash NAME, restart NAME    faults: restart keeps the data of a crash
#
# NAME is one of those in `nodes` below; without any, all that a JDK of this machine runs. Variables: SHEETWISE_NODES_CACHE
# (target/nodes) keeps homes and data, SHEETWISE_NODES_HEAP (512m) is each node's heap, JAVA_HOME the JDK to try first.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE=${SHEETWISE_NODES_CACHE:-$here/../../target/nodes}
HEAP=${SHEETWISE_NODES_HEAP:-512m}
. "$here/elasticsearch.sh"
. "$here/opensearch.sh"

# name, product and version, port, oldest and newest JDK
nodes="
elasticsearch-8 elasticsearch-8.19.8 19208 17 99
elasticsearch-9 elasticsearch-9.4.3 19209 21 99
opensearch-2 opensearch-2.19.6 19202 17 23
opensearch-3 opensearch-3.4.0 19203 21 99
"

fail() {
    echo "$*" >&2
    exit 1
}

# maven REPOSITORY ARGUMENT…
maven() {
    command -v mvn > /dev/null || fail "mvn is missing: install Maven"
    local repository=$1
    shift
    JAVA_HOME=$JAVA_TOOLS mvn -q -B -ntp -Dmaven.repo.local="$repository" "${@/#dependency:/org.apache.maven.plugins:maven-dependency-plugin:3.6.1:}"
}

# Homes of JDKs, the one asked for first.
jdks() {
    local java
    java=$(command -v java || true)
    [ -n "$java" ] && java=$(dirname "$(dirname "$(readlink -f "$java")")")
    printf '%s\n' "${JAVA_HOME:-}" "$java" /usr/lib/jvm/* | while read -r home; do
        [ -n "$home" ] && [ -x "$home/bin/java" ] && [ -x "$home/bin/jar" ] && echo "$home"
    done
}

# jdk OLDEST NEWEST: the first JDK whose version is in between.
jdk() {
    local home version
    while read -r home; do
        version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2> /dev/null)
        if [ -n "$version" ] && [ "$version" -ge "$1" ] && [ "$version" -le "$2" ]; then
            echo "$home"
            return
        fi
    done < <(jdks)
    return 1
}

# The log goes to standard output.
console_log() {
    cat > "$1" <<'PROPERTIES'
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
PROPERTIES
}

# named NAME: sets what is known of a node.
named() {
    read -r name server port oldest newest < <(grep "^$1 " <<< "$nodes") || fail "no node is called $1"
    product=${server%%-*} home=$CACHE/homes/$server folder=$CACHE/run/$1 address=http://127.0.0.1:$port
}

runs() {
    [ -f "$folder/pid" ] && kill -0 "$(cat "$folder/pid")" 2> /dev/null
}

lay() {
    [ -f "$home/.ready" ] && return
    echo "laying out $server" >&2
    rm -rf "$home"
    mkdir -p "$CACHE/homes"
    "lay_$product" "${server#*-}" "$home"
    chmod -R a+rX "$home"
    touch "$home/.ready"
}

# Starts the node of `named` under the JDK $1 and waits until it answers.
start() {
    mkdir -p "$folder"/{config,data,logs,tmp}
    "configure_$product" "$folder" "$port"
    "command_$product" "$home" "$folder" "$1"
    local as=()
    if [ "$(id -u)" = 0 ]; then # Both servers refuse to run as root; a bare number needs no account.
        chown -R 65534:65534 "$folder"
        as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    fi
    (cd "$home" && exec env -i PATH="$PATH" LANG=C.UTF-8 HOME="$folder" "${variables[@]}" setsid "${as[@]}" "${command[@]}") \
        > "$folder.log" 2>&1 < /dev/null &
    local pid=$!
    echo $pid > "$folder/pid"
    for _ in $(seq 600); do
        curl -sf -o /dev/null "$address/_cluster/health?wait_for_status=yellow&timeout=1s" && return
        kill -0 $pid 2> /dev/null || { tail -30 "$folder.log" >&2; fail "$name ended before it answered"; }
        sleep 0.3
    done
    kill $pid
    fail "$name did not answer within 3 minutes; its log is $folder.log"
}

up() {
    local home_of_jdk
    named "$1"
    if ! home_of_jdk=$(jdk "$oldest" "$newest"); then
        echo "left out: $1 needs a JDK from $oldest to $newest" >&2
        return
    fi
    lay
    if ! runs; then
        rm -rf "$folder"
        start "$home_of_jdk"
    fi
    echo "$name=$address"
}

# signal SIGNAL NAME: to the node and what it launched.
signal() {
    named "$2"
    runs || fail "$2 does not run"
    kill "-$1" -- "-$(cat "$folder/pid")"
}

restart() {
    named "$1"
    start "$(jdk "$oldest" "$newest")"
}

down() {
    named "$1"
    runs || return 0
    local pid
    pid=$(cat "$folder/pid")
    kill -CONT -- "-$pid" 2> /dev/null || true
    kill "$pid" 2> /dev/null || true
    for _ in $(seq 100); do
        kill -0 "$pid" 2> /dev/null || break
        sleep 0.2
    done
    kill -9 -- "-$pid" 2> /dev/null || true
    rm -f "$folder/pid"
}

action=${1:-}
shift || true
[ $# -gt 0 ] || set -- $(awk 'NF { print $1 }' <<< "$nodes")
mkdir -p "$CACHE"
CACHE=$(cd "$CACHE" && pwd)
JAVA_TOOLS=$(jdk 17 99) || fail "no JDK from 17 on is on this machine: install one, or set JAVA_HOME"
for node in "$@"; do
    case $action in
        up) up "$node" ;;
        down) down "$node" ;;
        lay) named "$node" && lay ;;
        list)
            named "$node"
            if runs; then echo "$name=$address"; fi
            ;;
        pause) signal STOP "$node" ;;
        resume) signal CONT "$node" ;;
        crash) signal KILL "$node" ;;
        restart) restart "$node" ;;
        *) fail "up, down, lay, list, pause, resume, crash or restart" ;;
    esac
done
