/**
 * Models inside a Java program: chats, tools, structured output, streaming, embeddings and
 * reranking through the engine of the server, without HTTP. Start with {@link
 * dev.varve.embedded.Varve}, {@link dev.varve.embedded.Embedder} or {@link
 * dev.varve.embedded.Reranker}.
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
