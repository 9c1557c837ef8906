package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.lora.LoraTerms;

import java.util.Optional;

/**
 * Rejects batches that do not fit a shard: everything on which ggml would abort the process.
 *
 * @param vocabulary number of tokens
 * @param boundaryLength elements per token of the activation that enters the range
 * @param hasOwnStates whether a layer keeps a state that its family defines
 * @param lora terms of the shard's adapters
 */
record BatchCheck(
        LayerRange range,
        int vocabulary,
        int boundaryLength,
        boolean hasOwnStates,
        ShardOptions options,
        LoraTerms lora) {
    /** Checks a batch and the activation of the previous shard. */
    void require(Batch batch, Optional<LayerActivations> boundary) {
        require(batch.changes());
        if (!options.captures().containsAll(batch.captures())) {
            throw new IllegalArgumentException(
                    "the batch captures layers "
                            + batch.captures()
                            + ", but the shard was loaded to capture layers "
                            + options.captures());
        }
        batch.chunks().forEach(chunk -> require(chunk, batch.phase()));
        batch.queries().forEach(this::require);
        if (boundary.isPresent() != (range.begin() > 0)) {
            throw new IllegalArgumentException(
                    "range "
                            + range
                            + (range.begin() > 0 ? " needs" : " accepts no")
                            + " boundary activation");
        }
        boundary.ifPresent(given -> require(batch, given));
    }

    /** Returns the check for other adapters. */
    BatchCheck with(LoraTerms other) {
        return new BatchCheck(range, vocabulary, boundaryLength, hasOwnStates, options, other);
    }

    /** Checks changes of the caches. */
    void require(CacheChanges changes) {
        changes.commits().forEach(this::require);
        changes.moves().forEach(this::require);
    }

    private void require(StateCommit commit) {
        requireRollbackBuffer(commit.rollbackBuffer(), commit.path().last() + 1);
        requireRow(Math.max(commit.readRow(), commit.writeRow()));
    }

    private void requireRollbackBuffer(int rollbackBuffer, int tokens) {
        RollbackBufferSizes rollbackBuffers = options.capacities().rollbackBuffers();
        if (rollbackBuffer >= rollbackBuffers.count() || tokens > rollbackBuffers.tokens()) {
            throw new IllegalArgumentException(
                    tokens
                            + " tokens in rollback buffer "
                            + rollbackBuffer
                            + " exceed "
                            + rollbackBuffers);
        }
    }

    private void requireRow(int row) {
        if (row >= options.capacities().stateRows()) {
            throw new IllegalArgumentException(
                    "state row "
                            + row
                            + " exceeds the "
                            + options.capacities().stateRows()
                            + " rows");
        }
    }

    private void require(KvRowOperation move) {
        int end =
                switch (move) {
                    case KvSlotCopy copy -> copy.end();
                    case PageMove page -> page.slot() + Pages.TOKENS;
                    case HostPageFree page -> 0;
                };
        if (end > slots()) {
            throw new IllegalArgumentException(move + " exceeds the pool of " + slots() + " slots");
        }
    }

    private void require(PageQuery query) {
        if (!options.scoresPages()) {
            throw new IllegalArgumentException(
                    "the batch queries page scores, but the shard was not loaded to score pages");
        }
        for (PageQuery.PagePlace place : query.pages()) {
            if (place.isResident() && place.slot() > slots() - Pages.TOKENS) {
                throw new IllegalArgumentException(
                        place + " exceeds the pool of " + slots() + " slots");
            }
        }
    }

    private void require(SequenceChunk chunk, Phase phase) {
        for (int i = 0; i < chunk.tokens().length; i++) {
            int token = chunk.tokens()[i];
            if (token >= vocabulary || token < 0 && !chunk.images().covers(chunk.position(i))) {
                throw new IllegalArgumentException(
                        "token " + token + " is outside the vocabulary of " + vocabulary);
            }
        }
        if (chunk.slots().end() > slots()) {
            throw new IllegalArgumentException(
                    "slots up to " + chunk.slots().end() + " exceed the pool of " + slots());
        }
        requireWholeImages(chunk);
        requireRow(Math.max(chunk.readRow(), chunk.writeRow()));
        if (!lora.accept(chunk.lora())) {
            throw new IllegalArgumentException(
                    "scales of adapters "
                            + chunk.lora().values()
                            + ": expected 0 except for the adapters of the shard, "
                            + lora.adapters());
        }
        boolean rows = phase == Phase.DECODE || chunk.kind() == ChunkComputeMode.ROWS;
        if (!chunk.tree().isChain() && !rows) {
            throw new IllegalArgumentException(
                    "a chunk with a token tree must be computed as rows");
        }
        if (!chunk.tree().isChain() && hasOwnStates) {
            throw new IllegalArgumentException(
                    "a custom state cannot follow the branches of a token tree");
        }
        if (chunk.place().isDrafted()) {
            requireRollbackBuffer(chunk.place().rollbackBuffer(), chunk.tokens().length);
            if (!rows) {
                throw new IllegalArgumentException(
                        "a chunk of draft tokens must be computed as rows");
            }
        }
    }

    /** A mask would show slots whose rows are not written yet. */
    private static void requireWholeImages(SequenceChunk chunk) {
        int begin = chunk.firstPosition();
        int end = begin + chunk.tokens().length;
        for (ImageSpan span : chunk.images().spans()) {
            boolean apart = span.end() <= begin || span.begin() >= end;
            boolean whole = span.begin() >= begin && span.end() <= end;
            if (span.isIndivisible() && !apart && !whole) {
                throw new IllegalArgumentException(
                        "positions "
                                + begin
                                + " to "
                                + (end - 1)
                                + " divide the image at "
                                + span.begin()
                                + " to "
                                + (span.end() - 1)
                                + ", whose tokens attend to one another");
            }
        }
    }

    private void require(Batch batch, LayerActivations given) {
        long expected = (long) batch.tokens() * boundaryLength;
        if (given.tokens() != batch.tokens()
                || (given instanceof HostActivations(float[] values, int tokens)
                        && values.length < expected)) {
            throw new IllegalArgumentException(
                    "boundary activation of "
                            + given.tokens()
                            + " tokens for a batch of "
                            + batch.tokens());
        }
    }

    /**
     * Checks that a part is within the caches.
     *
     * @throws VarveException of kind INVALID_REQUEST if it is not
     */
    void require(CachePart part) {
        switch (part) {
            case CachePart.Rows rows ->
                    require(part, "slots up to", (long) rows.slot() + rows.count(), slots());
            case CachePart.HostPageRows page -> {
                // In host memory, not in the caches.
            }
            case CachePart.Window window ->
                    require(part, "state row", window.row(), options.capacities().stateRows() - 1);
            case CachePart.State state ->
                    require(part, "state row", state.row(), options.capacities().stateRows() - 1);
        }
    }

    private static void require(CachePart part, String what, long found, long most) {
        if (found > most) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "cache of layer "
                            + part.layer()
                            + ": expected "
                            + what
                            + " "
                            + most
                            + ", found "
                            + found);
        }
    }

    private int slots() {
        return options.capacities().slots();
    }
}
