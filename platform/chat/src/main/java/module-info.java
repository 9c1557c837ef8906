/**
 * Chats without a server: conversations to tokens through the model's template, and tokens to
 * reasoning, content and tool calls.
 */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.chat {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;
    requires transitive dev.varve.platform.engine;
    requires transitive dev.varve.platform.grammar;
    requires transitive dev.varve.platform.jinja;
    requires transitive dev.varve.platform.shard;
    requires transitive dev.varve.platform.text;
    requires transitive dev.varve.platform.vision;
    requires tools.jackson.core;
    requires transitive tools.jackson.databind;

    exports dev.varve.platform.chat to
            dev.varve.embedded,
            dev.varve.platform.cli,
            dev.varve.platform.server;
}
