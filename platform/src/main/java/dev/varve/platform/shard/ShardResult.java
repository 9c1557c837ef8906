package dev.varve.platform.shard;

import java.util.Optional;

/**
 * What a shard computed.
 *
 * @param logits {@code F32 [vocabularySize, rows]}, row after row; the shard's own buffer, valid until its next forward.
 *     Empty where the range does not end the model or no rows were asked for
 * @param rows number of rows
 * @param boundary activation for the next shard, unless the range ends the model
 */
public record ShardResult(float[] logits, int rows, Optional<Boundary> boundary) {}
