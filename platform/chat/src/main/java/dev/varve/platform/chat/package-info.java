/**
 * Renders messages to token ids and parses token ids into responses: prompts through the model's
 * own template; reasoning, content and tool calls are separated as early as possible.
 *
 * <ul>
 *   <li>{@link ChatRenderer}, {@link ChatPrompt}, {@link MessageStartTokens}: prompts;
 *   <li>{@link TemplateDialect}, {@link TemplateMarkup}, {@link HistoryStyle}: the dialect that a
 *       template shows, for families that leave it to the template;
 *   <li>{@link ResponseSyntax}: syntax of a model's responses, from which each response gets a
 *       {@link ResponseParser} and a constraint: {@link MarkedResponseParser} and {@link
 *       ResponseGuide} for marks, {@link ChannelResponseParser} and {@link ChannelGuide} for
 *       messages in channels;
 *   <li>{@link MarkTable}, {@link TextMarkReader}: marks that are tokens, and marks that are text;
 *   <li>{@link ReasoningText}, {@link ContentText}, {@link StopStringMatcher}: reasoning and
 *       content;
 *   <li>{@link OpenCall}, {@link JsonCallParser}, {@link NamedCallParser}, {@link
 *       TaggedCallParser}, {@link BracedCallParser}: tool calls. Between the marks of a call, a
 *       {@link dev.varve.api.model.ToolCallParser} for the syntax of the family converts the markup
 *       to JSON: one of this package, or the family's own wrapped in a {@link
 *       ValidatingCallParser};
 *   <li>{@link ToolCallGrammar}, {@link ArgumentsGrammar}, {@link ContentConstraint}: grammars and
 *       constraints of calls and content.
 * </ul>
 *
 * <p>They are one package because the parser of a syntax and its grammar must agree on every
 * character: the grammar may only permit text that the parser reads as valid arguments. Both use
 * {@link ToolCallTokens} and {@link ArgumentSchema}.
 */
package dev.varve.platform.chat;
