package dev.varve.platform.http.openai;

import dev.varve.platform.http.model.DecodedTextLimit;

import java.util.Optional;

/**
 * Which text of a prompt a response contains.
 *
 * @param limit limits its length; empty if the response contains none
 * @param isWhole whether it is the text of all tokens of a prompt with a gap, as for rendering,
 *     rather than the client's {@code prompt}, as for an echo
 */
record PromptEcho(Optional<DecodedTextLimit> limit, boolean isWhole) {}
