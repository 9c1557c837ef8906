package dev.varve.platform.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Chooses the blocks of each stage, and the blocks whose experts are on the processor, so that a
 * token takes the shortest time and all memories suffice.
 *
 * <p>Dynamic programming over the blocks in their order: for each stage that may hold the last
 * block so far, and each size of its buffers, the state is a list of partial placements of which
 * none is worse than another in time and in every memory. Long lists are thinned, so the result is
 * exact for small models, and close to the optimum for others. The time grows with blocks, stages
 * and {@value #MOST}: 100 blocks on 8 devices take less than a tenth of a second.
 */
final class PlacementOptimizer {
    /** Most partial placements of a state. */
    private static final int MOST = 64;

    /** Blocks up to which every size of buffers counts; larger models have small buffers. */
    private static final int SMALL = 16;

    /** Sizes of buffers of larger models. */
    private static final int FEW = 3;

    /**
     * Limits of a run, fixed when it begins: they determine the bytes that its blocks share.
     *
     * @param bufferBytes most bytes of a block's buffers
     * @param elsewhereBytes most bytes of those in the processor's memory
     */
    private record Limits(int stage, long bufferBytes, long elsewhereBytes) {
        boolean permit(PlacementStage.Variant variant) {
            return variant.bufferBytes() <= bufferBytes
                    && variant.elsewhereBytes() <= elsewhereBytes;
        }
    }

    /** Partial placements whose last run has the same limits. */
    private record State(Limits limits, List<PartialPlacement> partials) {}

    /**
     * A complete placement.
     *
     * @param counts blocks of each stage; 0 for an optional stage that is not used
     * @param moved per block whether its experts are on the processor while the block is not
     */
    record Choice(double millis, List<Integer> counts, List<Boolean> moved) {
        /** Copies the lists. */
        Choice {
            counts = List.copyOf(counts);
            moved = List.copyOf(moved);
        }
    }

    private final List<PlacementStage> stages;
    private final long[] free;
    private final int processor;
    private final int blockCount;
    private final int most;

    /** Memories that hold whatever is placed there: their bytes are no limit. */
    private final boolean[] isAmple;

    /** Limits of runs, in the order of the stages. */
    private final List<Limits> limits = new ArrayList<>();

    /** Per stage the memories that limit the choice of blocks from there on. */
    private final List<int[]> scarce = new ArrayList<>();

    /**
     * @param stages in the order of their blocks; only the last may be optional
     * @param free free bytes of each memory
     * @param processor number of the memory to which experts move
     */
    PlacementOptimizer(List<PlacementStage> stages, List<Long> free, int processor) {
        this(stages, free, processor, MOST);
    }

    /**
     * @param most most partial placements of a state
     */
    PlacementOptimizer(List<PlacementStage> stages, List<Long> free, int processor, int most) {
        this.most = most;
        this.stages = List.copyOf(stages);
        this.free = free.stream().mapToLong(Long::longValue).toArray();
        this.processor = processor;
        blockCount = stages.getFirst().blocks().size();
        isAmple = new boolean[this.free.length];
        for (int memory = 0; memory < isAmple.length; memory++) {
            isAmple[memory] = mostBytes(memory) <= this.free[memory];
        }
        for (int stage = 0; stage < stages.size(); stage++) {
            int from = stage;
            scarce.add(
                    IntStream.range(0, isAmple.length)
                            .filter(memory -> !isAmple[memory] && isUsedFrom(memory, from))
                            .toArray());
            for (long buffer : stages.get(stage).bufferSizes(isSmall() ? SMALL : FEW)) {
                for (long elsewhere : elsewhereSizes(stage)) {
                    limits.add(new Limits(stage, buffer, elsewhere));
                }
            }
        }
    }

    private boolean isSmall() {
        return blockCount <= SMALL;
    }

    private List<Long> elsewhereSizes(int stage) {
        return stages.get(stage).elsewhereSizes(isSmall() && !isAmple[processor] ? SMALL : 1);
    }

    /** Whether a stage from some number on uses a memory, or experts may move to it. */
    private boolean isUsedFrom(int memory, int stage) {
        return memory == processor
                || stages.subList(stage, stages.size()).stream()
                        .anyMatch(each -> each.memory() == memory);
    }

    /** Returns an upper estimate of the bytes that any placement needs in a memory. */
    private long mostBytes(int memory) {
        long most = 0;
        for (PlacementStage stage : stages) {
            if (stage.memory() == memory) {
                most += stage.commonBytes() + stage.headBytes() + stage.bufferSizes(1).getLast();
            }
            most += memory == processor ? stage.elsewhereSizes(1).getLast() : 0;
        }
        for (int block = 0; block < blockCount; block++) {
            long largest = 0;
            for (PlacementStage stage : stages) {
                PlacementStage.Block each = stage.blocks().get(block);
                largest = Math.max(largest, each.bytes() + each.expertBytes());
            }
            most += largest;
        }
        return most;
    }

    /** Returns the fastest placement that fits; empty if none does. */
    Optional<Choice> choose() {
        List<State> states = emptyStates();
        begin(
                new PartialPlacement(Optional.empty(), 0, new long[free.length], -1, false),
                0,
                states);
        for (int block = 1; block < blockCount; block++) {
            states = next(states, block);
        }
        int first = stages.getLast().isOptional() ? stages.size() - 2 : stages.size() - 1;
        return states.stream()
                .filter(state -> state.limits.stage >= first)
                .flatMap(state -> state.partials.stream())
                .min(Comparator.comparingDouble(PartialPlacement::millis))
                .map(this::choice);
    }

    private List<State> emptyStates() {
        return limits.stream().map(each -> new State(each, new ArrayList<>())).toList();
    }

    /** Adds a block to all partial placements, on their last stage or on the one behind it. */
    private List<State> next(List<State> states, int block) {
        List<State> next = emptyStates();
        for (int i = 0; i < states.size(); i++) {
            for (PartialPlacement partial : states.get(i).partials) {
                extend(partial, partial.bytes(), block, next.get(i));
            }
        }
        for (int stage = 0; stage < stages.size() - 1; stage++) {
            for (PartialPlacement partial : ending(states, stage)) {
                begin(partial, block, next);
            }
        }
        return next.stream().map(state -> new State(state.limits, best(state))).toList();
    }

    private List<PartialPlacement> best(State state) {
        return PartialPlacement.best(state.partials, scarce.get(state.limits.stage), most);
    }

    /** Returns the partial placements whose last run is on a stage. */
    private List<PartialPlacement> ending(List<State> states, int stage) {
        return PartialPlacement.best(
                states.stream()
                        .filter(state -> state.limits.stage == stage)
                        .flatMap(state -> state.partials.stream())
                        .toList(),
                scarce.get(stage + 1),
                most);
    }

    /** Adds a block on the stage behind the last one. */
    private void begin(PartialPlacement partial, int block, List<State> next) {
        int stage = partial.stage() + 1;
        for (State state : next) {
            if (state.limits.stage == stage) {
                PlacementStage where = stages.get(stage);
                long[] bytes = partial.bytes().clone();
                bytes[where.memory()] += where.commonBytes() + state.limits.bufferBytes;
                bytes[processor] += state.limits.elsewhereBytes;
                extend(partial, bytes, block, state);
            }
        }
    }

    /** Adds a block on a stage, with its experts there or on the processor. */
    private void extend(PartialPlacement partial, long[] before, int block, State state) {
        PlacementStage where = stages.get(state.limits.stage);
        if (where.blocks().get(block).expertBytes() > 0) {
            add(partial, before, block, true, state);
        }
        add(partial, before, block, false, state);
    }

    private void add(
            PartialPlacement partial, long[] before, int block, boolean isMoved, State state) {
        int stage = state.limits.stage;
        PlacementStage where = stages.get(stage);
        PlacementStage.Block added = where.blocks().get(block);
        PlacementStage.Variant variant = isMoved ? added.moved() : added.kept();
        if (!state.limits.permit(variant)) {
            return;
        }
        long[] bytes = before.clone();
        bytes[where.memory()] += added.bytes();
        bytes[isMoved ? processor : where.memory()] += added.expertBytes();
        bytes[where.memory()] += block == blockCount - 1 ? where.headBytes() : 0;
        for (int memory : scarce.get(stage)) {
            if (bytes[memory] > free[memory]) {
                return;
            }
        }
        double shard = stage == partial.stage() ? 0 : where.shardMillis();
        double millis = partial.millis() + shard + variant.millis();
        state.partials.add(
                new PartialPlacement(Optional.of(partial), millis, bytes, stage, isMoved));
    }

    private Choice choice(PartialPlacement last) {
        Integer[] counts = new Integer[stages.size()];
        Arrays.fill(counts, 0);
        List<Boolean> moved = new ArrayList<>();
        for (Optional<PartialPlacement> each = Optional.of(last);
                each.get().stage() >= 0;
                each = each.get().before()) {
            counts[each.get().stage()]++;
            moved.addFirst(each.get().isMoved());
        }
        return new Choice(last.millis(), List.of(counts), moved);
    }
}
