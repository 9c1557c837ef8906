/**
 * A {@code ChatModel} of Spring AI over a {@link dev.varve.embedded.Varve} of this program, and its
 * configuration by Spring Boot.
 *
 * <ul>
 *   <li>{@link VarveChatModel}, {@link VarveChatOptions}: chats, streams, tools and JSON schemas;
 *   <li>{@link VarveAutoConfiguration}, {@link VarveProperties}: the model that {@code varve.model}
 *       names, with {@link VarveHealthIndicator} and {@link VarveMetrics} where their libraries
 *       exist.
 * </ul>
 */
package dev.varve.spring;
