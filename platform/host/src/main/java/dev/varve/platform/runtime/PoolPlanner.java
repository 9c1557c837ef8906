package dev.varve.platform.runtime;

import dev.varve.api.model.ModelShape;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.paging.ResidentPoolMemory;
import dev.varve.platform.paging.ResidentPoolSizing;
import dev.varve.platform.setting.Setting;

import java.util.List;
import java.util.Optional;

/**
 * Decides on the pool of a sequence, once the placement of the weights is known. One size applies
 * to all shards: the memory with the least room, and the one whose shards keep the most bytes per
 * token, decide.
 */
final class PoolPlanner {
    /**
     * A memory with shards.
     *
     * @param freeBytes beside weights, states and other reservations
     * @param bytesPerSlot K and V rows of one token, of all of its shards
     */
    record PoolMemory(long freeBytes, long bytesPerSlot) {}

    private PoolPlanner() {}

    /**
     * Computes the plan; pages in host memory are not counted yet.
     *
     * @param request the requested pool
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if no pool of that size is
     *     possible
     */
    static PoolPlan of(
            RequestedPaging request,
            ModelShape shape,
            ModelSettings settings,
            List<PoolMemory> memories) {
        if (!RangeMemory.hasFullAttention(shape)) {
            return PoolPlan.none(
                    Setting.KVFLASH
                            + ": has no effect: the model has no full-attention layers, and only"
                            + " their cache can be bounded");
        }
        int context = RangeMemory.contextTokens(shape, settings);
        ResidentPoolSizing.Pool pool =
                switch (request.size()) {
                    case RequestedPaging.Size.Fixed(int tokens) ->
                            ResidentPoolSizing.fixed(tokens, context);
                    case RequestedPaging.Size.Automatic size ->
                            ResidentPoolSizing.automatic(
                                    size,
                                    context,
                                    request.scores(),
                                    budget(memories, settings.sequences().parallel())
                                            .reserving(size.besideBytes()));
                };
        return new PoolPlan(
                Optional.of(request.options(pool.tokens())),
                context,
                PoolPlan.HostPageMemory.NONE,
                new PoolPlan.Remarks(pool.notes(), pool.warnings()));
    }

    private static ResidentPoolMemory budget(List<PoolMemory> memories, int sequences) {
        List<PoolMemory> holding =
                memories.stream().filter(memory -> memory.bytesPerSlot() > 0).toList();
        return ResidentPoolMemory.of(
                holding.stream().mapToLong(PoolMemory::freeBytes).min().orElse(0),
                holding.stream().mapToLong(PoolMemory::bytesPerSlot).max().orElse(0),
                sequences);
    }
}
