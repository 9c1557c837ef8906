/** The command line. */
module dev.varve.platform.cli {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;
    requires transitive dev.varve.platform.cache;
    requires transitive dev.varve.platform.chat;
    requires transitive dev.varve.platform.engine;
    requires transitive dev.varve.platform.grammar;
    requires transitive dev.varve.platform.host;
    requires transitive dev.varve.platform.hub;
    requires transitive dev.varve.platform.jinja;
    requires transitive dev.varve.platform.rpc;
    requires transitive dev.varve.platform.server;
    requires transitive dev.varve.platform.shard;
    requires transitive dev.varve.platform.speculation;
    requires transitive dev.varve.platform.text;
    requires info.picocli;
    requires java.logging;
    requires java.net.http;
    // signals, by reflection
    requires jdk.unsupported;
    requires org.jline.reader;
    requires org.jline.terminal;
    requires tools.jackson.core;
    requires tools.jackson.databind;

    exports dev.varve.platform.cli to
            java.logging;

    opens dev.varve.platform.cli to
            info.picocli;
}
