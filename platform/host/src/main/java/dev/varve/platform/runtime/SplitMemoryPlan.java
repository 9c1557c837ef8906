package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.paging.PoolBudget;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.shard.CacheSizes;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The memory that a model will need on each of its devices. All shards have KV caches of the same
 * number of slots, so the device with the least room limits it.
 *
 * @param parts in layer order, of one replica
 * @param hostCache host memory for computed prompts of all replicas, beside the parts
 * @param pool how the attention cache of sequences is bounded
 * @param replicas engines that have such parts each
 */
public record SplitMemoryPlan(
        List<Part> parts, HostCachePlan hostCache, PoolPlan pool, int replicas) {
    /** Name of the memory that the processor's cores share. */
    static final String HOST = "host";

    /**
     * The memory of one shard.
     *
     * @param memory with what the shard's device has free, other shards on it not counted
     */
    public record Part(Placement.Part where, MemoryPlan memory) {}

    /** Takes a copy of the parts. */
    public SplitMemoryPlan {
        parts = List.copyOf(parts);
        Objects.requireNonNull(hostCache);
        Objects.requireNonNull(pool);
    }

    /**
     * Works out the plan of a placement.
     *
     * @param devices facts about each device, by its reference
     * @throws VarveException of kind OUT_OF_MEMORY with the sums of each device if it does not fit,
     *     INVALID_REQUEST if a setting contradicts the model
     */
    public static SplitMemoryPlan of(
            LayerSplitAdapter model,
            Placement placement,
            Function<DeviceReference, DeviceInfo> devices,
            ModelSettings settings) {
        return new SplitMemoryPlanner(model, placement, devices, settings).plan();
    }

    /**
     * Name of the memory that a device takes from. What computes on the processor's cores shares
     * its memory, in whichever process of this machine.
     */
    public static String memoryOf(DeviceReference device, DeviceInfo info) {
        if (!isHere(device)) {
            return device.toString();
        }
        return info.hostCores() ? HOST : device.device();
    }

    /** Whether a device is one of this machine. */
    static boolean isHere(DeviceReference device) {
        return !(device.site() instanceof ProcessLocation.Listening(var address))
                || address.startsWith("unix:");
    }

    /**
     * What a device has free for shards, however many of them. An automatic pool has its size from
     * what is free beyond a reserve, so shards that took that would be left without one.
     */
    public static long memoryForShards(
            DeviceReference device, DeviceInfo info, ModelSettings settings) {
        long reserved =
                memoryOf(device, info).equals(HOST) ? settings.hostCache().reservedBytes() : 0;
        if (settings.pool().filter(RequestedPaging::isAutomatic).isPresent()) {
            reserved += PoolBudget.RESERVE_BYTES;
        }
        return Math.max(0, info.memoryFreeBytes() - reserved);
    }

    /** What the shards of all replicas need where one of them has a part. */
    MemoryNeed needOfAll(Part part) {
        return part.memory().need().replicated(replicas, sharesWeights(part.where().device()));
    }

    /**
     * Whether shards of one range on a device have one copy of the weights: those of this process
     * do.
     */
    public static boolean sharesWeights(DeviceReference device) {
        return device.isLocal();
    }

    /** One line for people. */
    static String describe(Part part) {
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
                new CacheSizes(
                        first.sizes().slots(),
                        first.sizes().stateRows(),
                        region,
                        first.sizes().stashes()),
                need,
                free);
    }

    /** Bytes of the shards of all replicas. */
    public long bytesOfAll() {
        return parts.stream().mapToLong(part -> needOfAll(part).totalBytes()).sum();
    }

    /** What all replicas need together, for people; empty where there is one. */
    public Optional<String> describeReplicas() {
        if (replicas == 1) {
            return Optional.empty();
        }
        boolean shared = parts.stream().allMatch(part -> sharesWeights(part.where().device()));
        boolean none = parts.stream().noneMatch(part -> sharesWeights(part.where().device()));
        String weights =
                shared
                        ? "one copy of the weights"
                        : none ? "weights of their own" : "weights of their own in other processes";
        return Optional.of(
                String.format(
                        Locale.ROOT,
                        "%d replicas of that, with %s: together %s",
                        replicas,
                        weights,
                        MemoryPlan.mebibytes(bytesOfAll())));
    }

    /** One line per shard for people, one for the host cache, and one for bounded caches. */
    public String describe() {
        return Stream.of(
                        parts.stream().map(SplitMemoryPlan::describe),
                        describeReplicas().stream(),
                        Stream.of(hostCache)
                                .filter(HostCachePlan::isPresent)
                                .map(HostCachePlan::describe),
                        pool.describe().stream())
                .flatMap(Function.identity())
                .collect(Collectors.joining("\n"));
    }
}
