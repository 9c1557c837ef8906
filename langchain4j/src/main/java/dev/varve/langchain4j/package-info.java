/**
 * Models of LangChain4j over a {@link dev.varve.embedded.Varve}, an {@link
 * dev.varve.embedded.Embedder} or a {@link dev.varve.embedded.Reranker} of this program.
 *
 * <ul>
 *   <li>{@link VarveChatModel}, {@link VarveStreamingChatModel}: chats with tools and JSON schemas;
 *   <li>{@link VarveTokenCountEstimator}: exact token counts, for the limits of chat memories;
 *   <li>{@link VarveEmbeddingModel}, {@link VarveScoringModel}: vectors of texts and scores of
 *       documents, for retrieval.
 * </ul>
 *
 * <p>Those of one kind share the model, which the program opens and closes. All are thread-safe.
 */
package dev.varve.langchain4j;
