# OpenSearch for nodes.sh: how a home is laid out from the jars on Maven Central and which command runs it.

# The modules that are used: HTTP, delete by query, analysers.
OPENSEARCH_MODULES="transport-netty4:transport-netty4-client reindex:reindex-client analysis-common:analysis-common"

# lay_opensearch VERSION HOME
lay_opensearch() {
    local version=$1 home=$2 work=$2.work module log4j
    rm -rf "$work"
    mkdir -p "$work" "$home"/{bin,lib,modules,plugins,config} # Without bin/ the node tries to make it.
    local server=("org.opensearch:opensearch:$version" "org.opensearch:opensearch-plugin-classloader:$version"
        net.java.dev.jna:jna:5.13.0 org.locationtech.spatial4j:spatial4j:0.7 org.locationtech.jts:jts-core:1.15.0)
    # 3.x names classes of the agent even where it does not run.
    [[ $version == 3.* ]] && server+=("org.opensearch:opensearch-agent-bootstrap:$version")
    project "$work" server "${server[@]}"
    for module in $OPENSEARCH_MODULES; do
        project "$work" "${module%%:*}" "org.opensearch.plugin:${module##*:}:$version"
    done
    umbrella "$work"
    maven "$CACHE/repository" -f "$work/pom.xml" dependency:copy-dependencies -DincludeScope=runtime \
        -DoutputDirectory='${project.basedir}/jars'
    # The server's pom leaves log4j-core out; it must be of the version of the log4j-api that came.
    log4j=$(basename "$work"/server/jars/log4j-api-*.jar .jar)
    maven "$CACHE/repository" dependency:copy -Dartifact="org.apache.logging.log4j:log4j-core:${log4j#log4j-api-}" \
        -DoutputDirectory="$work/server/jars"
    cp "$work"/server/jars/*.jar "$home/lib/"
    for module in $OPENSEARCH_MODULES; do
        lay_module "$version" "$work/${module%%:*}/jars" "$home" "${module%%:*}" "${module##*:}"
    done
    rm -rf "$work"
}

# lay_module VERSION JARS HOME NAME ARTIFACT: jars on Central lack their descriptor and policy.
lay_module() {
    local folder=$3/modules/$4 jar file class
    mkdir -p "$folder"
    for jar in "$2"/*.jar; do # A jar that lib/ has in any version must not come a second time.
        file=${jar##*/}
        compgen -G "$3/lib/${file%-[0-9]*.jar}-[0-9]*.jar" > /dev/null || cp "$jar" "$folder/"
    done
    class=$("$JAVA_TOOLS/bin/jar" tf "$folder/$5-$1.jar" | sed -n 's|/|.|g; s|^\(org\.opensearch\..*Plugin\)\.class$|\1|p')
    cat > "$folder/plugin-descriptor.properties" <<PROPERTIES
name=$4
description=$4
version=$1
opensearch.version=$1
java.version=11
classname=$class
PROPERTIES
    {
        echo 'grant {'
        if [ "$4" = transport-netty4 ]; then
            echo '  permission java.net.SocketPermission "*", "accept,connect,resolve";'
            echo '  permission java.net.NetPermission "getNetworkInformation";'
            echo '  permission java.io.FilePermission "/proc/sys/net/core/somaxconn", "read";'
            echo '  permission java.lang.RuntimePermission "setContextClassLoader";'
            echo '  permission java.util.PropertyPermission "*", "read,write";'
        fi
        echo '};'
    } > "$folder/plugin-security.policy"
}

# project WORK NAME COORDINATE…: a Maven project whose dependencies are these.
project() {
    local folder=$1/$2 coordinate group artifact version
    mkdir -p "$folder"
    {
        echo '<project><modelVersion>4.0.0</modelVersion>'
        echo "<parent><groupId>nodes</groupId><artifactId>all</artifactId><version>1</version></parent>"
        echo "<artifactId>$2</artifactId><dependencies>"
        for coordinate in "${@:3}"; do
            IFS=: read -r group artifact version <<< "$coordinate"
            echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>"
        done
        echo '</dependencies></project>'
    } > "$folder/pom.xml"
}

# umbrella WORK: one project over all others.
umbrella() {
    {
        echo '<project><modelVersion>4.0.0</modelVersion>'
        echo '<groupId>nodes</groupId><artifactId>all</artifactId><version>1</version><packaging>pom</packaging><modules>'
        (cd "$1" && for folder in */; do echo "<module>${folder%/}</module>"; done)
        echo '</modules></project>'
    } > "$1/pom.xml"
}

# configure_opensearch FOLDER PORT
configure_opensearch() {
    cat > "$1/config/opensearch.yml" <<YAML
cluster.name: sheetwise-tests
discovery.type: single-node
network.host: 127.0.0.1
http.port: $2
transport.port: $(($2 + 100))
path.data: $1/data
path.logs: $1/logs
cluster.routing.allocation.disk.threshold_enabled: false
YAML
    : > "$1/config/jvm.options"
    console_log "$1/config/log4j2.properties"
}

# command_opensearch HOME FOLDER JAVA_HOME: sets `command` and `variables`.
command_opensearch() {
    variables=(OPENSEARCH_PATH_CONF="$2/config")
    command=("$3/bin/java" "-Xms$HEAP" "-Xmx$HEAP" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError
        -Dfile.encoding=UTF-8 -Djava.awt.headless=true -Dlog4j2.disable.jmx=true -Djna.nosys=true
        -Dio.netty.noUnsafe=true -Dio.netty.noKeySetOptimization=true -Dio.netty.allocator.numDirectArenas=0
        -Djava.io.tmpdir="$2/tmp" -Dopensearch.path.home="$1" -Dopensearch.path.conf="$2/config"
        -Dopensearch.distribution.type=tar -Dopensearch.bundled_jdk=false)
    [[ $(basename "$1") == opensearch-2.* ]] && command+=(-Djava.security.manager=allow)
    command+=(-cp "$1/lib/*" org.opensearch.bootstrap.OpenSearch)
}
