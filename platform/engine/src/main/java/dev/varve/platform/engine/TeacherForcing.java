package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardResult;

import java.util.Arrays;
import java.util.List;

/**
 * Computes given tokens and passes on the logits of every one of them. Uses the pipeline alone,
 * without an engine.
 */
public final class TeacherForcing {
    /** Receives rows of logits in order. */
    @FunctionalInterface
    public interface LogitsSink {
        /**
         * Accepts {@code rows} rows of {@code vocabulary} values from the start of {@code logits},
         * which is reused later.
         */
        void accept(float[] logits, int rows, int vocabulary);
    }

    private static final int STATE_ROW = 1;

    private TeacherForcing() {}

    /**
     * Computes the logits of every token.
     *
     * @param slots size of the pipeline's KV pool
     * @throws VarveException of kind CONTEXT_OVERFLOW if the tokens exceed it
     */
    public static void run(
            ShardPipeline pipeline, int[] tokens, int slots, int vocabulary, LogitsSink sink) {
        if (tokens.length > slots) {
            throw new VarveException(
                    VarveException.Kind.CONTEXT_OVERFLOW,
                    tokens.length + " tokens exceed the context of " + slots);
        }
        KvSlotSpan span = new KvSlotSpan(0, KvSlotSpan.roundUp(tokens.length));
        boolean continues = false;
        for (int begin = 0; begin < tokens.length; ) {
            if (Thread.interrupted()) {
                throw new VarveException(VarveException.Kind.CANCELLED, "interrupted");
            }
            // Short chunks bound the memory for logits of every row.
            PlannedChunk planned =
                    PlannedChunk.next(
                            begin,
                            PlannedChunk.windowEnd(begin, tokens.length, 0),
                            ChunkKind.WINDOW,
                            continues,
                            PlannedChunk.TILE);
            SequenceChunk chunk =
                    new SequenceChunk(
                            0,
                            Arrays.copyOfRange(tokens, begin, planned.end()),
                            ChunkPlacement.next(begin, span, STATE_ROW),
                            RequestedOutput.ALL,
                            planned.kind().computeMode());
            ShardResult result = pipeline.forward(new Batch(List.of(chunk), Phase.PREFILL));
            sink.accept(result.logits(), result.rows(), vocabulary);
            continues = planned.kind() == ChunkKind.PIECE;
            begin = planned.end();
        }
    }
}
