/**
 * Language models inside a Java program: chats, tools, structured output and streaming through the
 * engine of the server, without HTTP. Start with {@link dev.varve.embedded.Varve}.
 *
 * <p>Model families and devices come from the plugins on the class path or the module path.
 */
module dev.varve.embedded {
    requires transitive dev.varve.error;
    requires dev.varve.platform.chat;
    requires dev.varve.platform.host;
    requires tools.jackson.databind;

    exports dev.varve.embedded;
}
