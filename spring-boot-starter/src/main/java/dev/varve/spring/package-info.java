/**
 * A {@code ChatModel} and an {@code EmbeddingModel} of Spring AI over a {@link
 * dev.varve.embedded.Varve} and an {@link dev.varve.embedded.Embedder} of this program, and their
 * configuration by Spring Boot.
 *
 * <ul>
 *   <li>{@link VarveChatModel}, {@link VarveChatOptions}: chats, streams, tools and JSON schemas;
 *   <li>{@link VarveAutoConfiguration}, {@link VarveProperties}: the model that {@code varve.model}
 *       names, with {@link VarveHealthIndicator} and {@link VarveMetrics} where their libraries
 *       exist;
 *   <li>{@link VarveEmbeddingModel}, with {@link VarveEmbeddingAutoConfiguration} and {@link
 *       VarveEmbeddingProperties}: the model that {@code varve.embedding.model} names.
 * </ul>
 */
package dev.varve.spring;
