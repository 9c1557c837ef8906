package dev.varve.embedded;

import dev.varve.platform.chat.ChatGeneration;
import dev.varve.platform.engine.GenerationRequest;

/**
 * A request for the engine.
 *
 * @param request rendered prompt and limits
 * @param generation receives the tokens; belongs to this request
 */
record PreparedChat(GenerationRequest request, ChatGeneration generation) {}
