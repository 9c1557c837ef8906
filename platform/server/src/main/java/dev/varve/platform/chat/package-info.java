/**
 * From messages to token ids and from token ids to answers: prompts through the model's own
 * template; thoughts, content and tool calls apart from each other, as early as possible.
 *
 * <p>Start with {@link dev.varve.platform.chat.ChatRenderer} for prompts and with {@link
 * dev.varve.platform.chat.ResponseSyntax} for answers. One answer is read by an {@code
 * ResponseParser}; between the marks of a call a {@link dev.varve.api.model.ToolCallParser} for the
 * syntax of the family turns the markup into JSON: one of this package, or the family's own behind
 * a {@code ValidatingCallParser}.
 */
package dev.varve.platform.chat;
