/**
 * Models of LangChain4j over a {@link dev.varve.embedded.Varve} of this program.
 *
 * <ul>
 *   <li>{@link VarveChatModel}, {@link VarveStreamingChatModel}: chats with tools and JSON schemas;
 *   <li>{@link VarveTokenCountEstimator}: exact token counts, for the limits of chat memories.
 * </ul>
 *
 * <p>They share the model, which the program opens and closes. All are thread-safe.
 */
package dev.varve.langchain4j;
