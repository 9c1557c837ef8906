package dev.varve.platform.chat;

import java.util.Optional;

/**
 * Part of a tool call.
 *
 * @param index number of the call in its answer, from 0
 * @param name name of the tool; with the first delta of a call only
 * @param arguments next part of the JSON text of the arguments, may be empty
 */
public record CallDelta(int index, Optional<String> name, String arguments) {}
