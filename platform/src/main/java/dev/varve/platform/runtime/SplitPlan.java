package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.Site;
import dev.varve.platform.shard.CacheSizes;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The memory that a model will need on each of its devices. All shards have KV pools of the same
 * number of slots, so the device with the least room limits it.
 *
 * @param parts in layer order
 */
public record SplitPlan(List<Part> parts) {
    /**
     * The memory of one shard.
     *
     * @param memory with what the shard's device has free, other shards on it not counted
     */
    public record Part(Placement.Part where, MemoryPlan memory) {}

    /** Shards that take from the same memory. */
    private static final class Pool {
        private final List<Integer> parts = new ArrayList<>();
        private long free = Long.MAX_VALUE;
    }

    /** Takes a copy of the parts. */
    public SplitPlan {
        parts = List.copyOf(parts);
    }

    /**
     * Works out the plan of a placement.
     *
     * @param devices facts about each device, by its reference
     * @throws VarveException of kind OUT_OF_MEMORY with the sums of each device if it does not fit,
     *     INVALID_REQUEST if a setting contradicts the model
     */
    public static SplitPlan of(
            LayerSplitAdapter model,
            Placement placement,
            Function<DeviceReference, DeviceInfo> devices,
            ModelSettings settings) {
        List<RangeMemory> needs = new ArrayList<>();
        List<Long> free = new ArrayList<>();
        Map<String, Pool> pools = new LinkedHashMap<>();
        for (Placement.Part part : placement.parts()) {
            DeviceInfo info = devices.apply(part.device());
            Pool pool = pools.computeIfAbsent(memoryOf(part.device(), info), name -> new Pool());
            pool.parts.add(needs.size());
            pool.free = Math.min(pool.free, info.memoryFreeBytes());
            needs.add(RangeMemory.of(model, part.range(), info, settings));
            free.add(info.memoryFreeBytes());
        }
        int context = RangeMemory.contextTokens(model.shape(), settings);
        long affordable = Long.MAX_VALUE;
        for (Pool pool : pools.values()) {
            affordable = Math.min(affordable, affordableSlots(pool, needs));
        }
        int slots = RangeMemory.slots(settings.sequences(), context, affordable);
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < needs.size(); i++) {
            parts.add(
                    new Part(
                            placement.parts().get(i),
                            needs.get(i).plan(model.shape(), settings, slots, free.get(i))));
        }
        SplitPlan plan = new SplitPlan(parts);
        plan.requireFits(pools.values());
        return plan;
    }

    /**
     * Name of the memory that a device takes from. What computes on the processor's cores shares
     * its memory, in whichever process of this machine.
     */
    public static String memoryOf(DeviceReference device, DeviceInfo info) {
        boolean thisMachine =
                !(device.site() instanceof Site.Listening(var address))
                        || address.startsWith("unix:");
        if (!thisMachine) {
            return device.toString();
        }
        return info.hostCores() ? "host" : device.device();
    }

    private static long affordableSlots(Pool pool, List<RangeMemory> needs) {
        RangeMemory sum = new RangeMemory(0, 0, 0, 0, 0);
        for (int part : pool.parts) {
            RangeMemory need = needs.get(part);
            sum =
                    new RangeMemory(
                            sum.weightBytes() + need.weightBytes(),
                            sum.bytesPerSlot() + need.bytesPerSlot(),
                            0,
                            sum.stateBytes() + need.stateBytes(),
                            sum.computeBytes() + need.computeBytes());
        }
        return sum.affordableSlots(pool.free);
    }

    private void requireFits(Iterable<Pool> pools) {
        for (Pool pool : pools) {
            long sum =
                    pool.parts.stream()
                            .mapToLong(part -> parts.get(part).memory().need().totalBytes())
                            .sum();
            if (sum > pool.free) {
                String together =
                        pool.parts.size() == 1
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        "; together %s of %s free",
                                        MemoryPlan.mebibytes(sum),
                                        MemoryPlan.mebibytes(pool.free));
                throw new VarveException(
                        VarveException.Kind.OUT_OF_MEMORY,
                        pool.parts.stream()
                                        .map(part -> describe(parts.get(part)))
                                        .collect(Collectors.joining("; "))
                                + together
                                + MemoryPlan.DOES_NOT_FIT);
            }
        }
    }

    private static String describe(Part part) {
        return part.memory().describe(part.where().toString());
    }

    /** The sums of all shards; what is free is the sum over the shards too. */
    public MemoryPlan total() {
        MemoryPlan first = parts.getFirst().memory();
        MemoryNeed need = MemoryNeed.NONE;
        long free = 0;
        int region = 0;
        for (Part part : parts) {
            MemoryPlan memory = part.memory();
            need = need.plus(memory.need());
            free += memory.availableBytes();
            region = Math.max(region, memory.sizes().regionSlots());
        }
        return new MemoryPlan(
                first.contextTokens(),
                new CacheSizes(first.sizes().slots(), first.sizes().stateRows(), region),
                need,
                free);
    }

    /** One line per shard for people. */
    public String describe() {
        return parts.stream().map(SplitPlan::describe).collect(Collectors.joining("\n"));
    }
}
