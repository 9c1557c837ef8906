package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.setting.Setting;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Works out a {@link SplitPlan}: shards that take from the same memory must fit it together. */
final class SplitPlanning {
    /** A memory, and the shards that take from it. */
    private static final class Memory {
        private final List<Integer> parts = new ArrayList<>();
        private long free = Long.MAX_VALUE;

        /** Bytes that something beside the shards will take. */
        private long reserved;
    }

    private final LayerSplitAdapter model;
    private final Placement placement;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final ModelSettings settings;
    private final List<DeviceInfo> infos = new ArrayList<>();
    private final Map<String, Memory> memories = new LinkedHashMap<>();
    private final Optional<Memory> host;

    SplitPlanning(
            LayerSplitAdapter model,
            Placement placement,
            Function<DeviceReference, DeviceInfo> devices,
            ModelSettings settings) {
        this.model = model;
        this.placement = placement;
        this.devices = devices;
        this.settings = settings;
        for (Placement.Part part : placement.parts()) {
            DeviceInfo info = devices.apply(part.device());
            Memory memory =
                    memories.computeIfAbsent(
                            SplitPlan.memoryOf(part.device(), info), name -> new Memory());
            memory.parts.add(infos.size());
            memory.free = Math.min(memory.free, info.memoryFreeBytes());
            infos.add(info);
        }
        host = host();
    }

    /**
     * The host's memory, of which a cache takes its part; empty if there is none or nobody knows
     * how much that is.
     */
    private Optional<Memory> host() {
        if (settings.hostCache().equals(HostCacheLimit.NONE)) {
            return Optional.empty();
        }
        if (!memories.containsKey(SplitPlan.HOST)) {
            Memory memory = new Memory();
            try {
                memory.free = devices.apply(DeviceReference.PROCESSOR).memoryFreeBytes();
            } catch (VarveException e) {
                // No shard needs the processor's backend, and the plugin may not be installed.
                return Optional.empty();
            }
            memories.put(SplitPlan.HOST, memory);
        }
        Memory found = memories.get(SplitPlan.HOST);
        found.reserved = settings.hostCache().reservedBytes();
        return Optional.of(found);
    }

    /** The plan, or a failure as {@link SplitPlan#of} tells of them. */
    SplitPlan plan() {
        List<RangeMemory> needs = new ArrayList<>();
        for (int i = 0; i < infos.size(); i++) {
            needs.add(
                    RangeMemory.of(
                            model, placement.parts().get(i).range(), infos.get(i), settings));
        }
        int context = RangeMemory.contextTokens(model.shape(), settings);
        long affordable = Long.MAX_VALUE;
        for (Memory memory : memories.values()) {
            affordable = Math.min(affordable, affordableSlots(memory, needs));
        }
        int slots = RangeMemory.slots(settings.sequences(), context, affordable);
        List<SplitPlan.Part> parts = new ArrayList<>();
        for (int i = 0; i < needs.size(); i++) {
            long free = infos.get(i).memoryFreeBytes();
            parts.add(
                    new SplitPlan.Part(
                            placement.parts().get(i),
                            needs.get(i).plan(model.shape(), settings, slots, free)));
        }
        memories.values().forEach(memory -> requireFits(memory, parts));
        return new SplitPlan(parts, hostCache(parts));
    }

    private HostCachePlan hostCache(List<SplitPlan.Part> parts) {
        OptionalLong left =
                host.stream().mapToLong(memory -> memory.free - needed(memory, parts)).findFirst();
        long bytes = settings.hostCache().bytes(left);
        return bytes == 0 ? HostCachePlan.NONE : new HostCachePlan(bytes, left);
    }

    private static RangeMemory sum(Memory memory, List<RangeMemory> needs) {
        RangeMemory sum = new RangeMemory(0, 0, 0, 0, 0);
        for (int part : memory.parts) {
            RangeMemory need = needs.get(part);
            sum =
                    new RangeMemory(
                            sum.weightBytes() + need.weightBytes(),
                            sum.bytesPerSlot() + need.bytesPerSlot(),
                            0,
                            sum.stateBytes() + need.stateBytes(),
                            sum.computeBytes() + need.computeBytes());
        }
        return sum;
    }

    private static long affordableSlots(Memory memory, List<RangeMemory> needs) {
        return sum(memory, needs).affordableSlots(memory.free - memory.reserved);
    }

    private static long needed(Memory memory, List<SplitPlan.Part> parts) {
        return memory.parts.stream()
                .mapToLong(part -> parts.get(part).memory().need().totalBytes())
                .sum();
    }

    private static void requireFits(Memory memory, List<SplitPlan.Part> parts) {
        long sum = needed(memory, parts) + memory.reserved;
        if (sum <= memory.free) {
            return;
        }
        List<String> needs = new ArrayList<>();
        memory.parts.forEach(part -> needs.add(SplitPlan.describe(parts.get(part))));
        if (memory.reserved > 0) {
            needs.add("host cache " + MemoryPlan.mebibytes(memory.reserved));
        }
        String together =
                needs.size() == 1 && memory.reserved == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                "; together %s of %s free",
                                MemoryPlan.mebibytes(sum),
                                MemoryPlan.mebibytes(memory.free));
        throw new VarveException(
                VarveException.Kind.OUT_OF_MEMORY,
                String.join("; ", needs)
                        + together
                        + MemoryPlan.DOES_NOT_FIT
                        + (memory.reserved > 0 ? ", or a smaller " + Setting.CACHE_RAM : ""));
    }
}
