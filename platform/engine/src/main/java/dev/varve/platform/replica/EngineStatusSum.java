package dev.varve.platform.replica;

import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.SpeculationCounts;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.ShardMemory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Sums the status of engines of one model. */
final class EngineStatusSum {
    private EngineStatusSum() {}

    /**
     * Returns the sum of two engines that run at the same time; values that cannot be added are
     * those of the first. The shards of the second follow those of the first.
     */
    static EngineStatus of(EngineStatus a, EngineStatus b) {
        return sum(
                a,
                b,
                new ShardAndDraftStatus(
                        Stream.concat(a.shards().stream(), b.shards().stream()).toList(),
                        either(a.draft(), b.draft(), DraftStatusSum::of),
                        either(a.outage(), b.outage(), EngineStatusSum::longer)));
    }

    /** Returns the status of an engine with the counters of its predecessors added. */
    static EngineStatus after(EngineStatus now, EngineStatus past) {
        return sum(
                now,
                past,
                new ShardAndDraftStatus(
                        RetiredShardStatus.after(now.shards(), past.shards()),
                        either(now.draft(), past.draft(), DraftStatusSum::after),
                        now.outage()));
    }

    /** Components that are combined differently for simultaneous and for successive engines. */
    private record ShardAndDraftStatus(
            List<ShardStatus> shards,
            Optional<RemoteDraftStatus> draft,
            Optional<EngineStatus.Outage> outage) {}

    private static <T> Optional<T> either(Optional<T> a, Optional<T> b, BinaryOperator<T> both) {
        return a.isPresent() && b.isPresent()
                ? Optional.of(both.apply(a.get(), b.get()))
                : a.or(() -> b);
    }

    /** Returns the outage in which requests may still wait, or the one with more time left. */
    private static EngineStatus.Outage longer(EngineStatus.Outage a, EngineStatus.Outage b) {
        if (a.rejectsRequests() != b.rejectsRequests()) {
            return a.rejectsRequests() ? b : a;
        }
        return a.left().compareTo(b.left()) < 0 ? b : a;
    }

    private static EngineStatus sum(EngineStatus a, EngineStatus b, ShardAndDraftStatus parts) {
        return new EngineStatus(
                new EngineStatus.Load(
                        a.load().contextTokens(),
                        a.load().parallel() + b.load().parallel(),
                        a.load().waiting() + b.load().waiting(),
                        a.load().running() + b.load().running()),
                new KvSlotUsage(
                        a.slots().total() + b.slots().total(),
                        a.slots().running() + b.slots().running(),
                        a.slots().resident() + b.slots().resident()),
                new ShardMemory(
                        a.memory().weights() + b.memory().weights(),
                        a.memory().mappedWeights() + b.memory().mappedWeights(),
                        a.memory().kv() + b.memory().kv(),
                        a.memory().compute() + b.memory().compute(),
                        a.memory().hostPages() + b.memory().hostPages()),
                counts(a.counts(), b.counts()),
                cache(a.cache(), b.cache()),
                speculation(a.speculation(), b.speculation()),
                parts.shards(),
                parts.draft(),
                either(a.paging(), b.paging(), EngineStatusSum::paging),
                parts.outage(),
                List.of());
    }

    /** Returns the status of a failed engine that is not closed yet. */
    static EngineStatus broken(EngineStatus status, String why) {
        return new EngineStatus(
                status.load(),
                status.slots(),
                status.memory(),
                status.counts(),
                status.cache(),
                status.speculation(),
                RetiredShardStatus.broken(status.shards(), why),
                status.draft().map(draft -> DraftStatusSum.ofEnded(draft, why)),
                status.paging());
    }

    /** Returns the counters of an engine that was closed. */
    static EngineStatus countsOf(EngineStatus status, String why) {
        PrefixCacheStatus cache = status.cache();
        return new EngineStatus(
                new EngineStatus.Load(status.load().contextTokens(), 0, 0, 0),
                new KvSlotUsage(0, 0, 0),
                new ShardMemory(0, 0, 0, 0),
                status.counts(),
                new PrefixCacheStatus(PrefixCacheStatus.NONE.host(), cache.counts()),
                status.speculation(),
                RetiredShardStatus.ofClosedEngine(status.shards(), why),
                status.draft().map(draft -> DraftStatusSum.ofEnded(draft, why)),
                status.paging().map(past -> new PagingStatus(past.options(), past.counts(), 0, 0)));
    }

    private static EngineStatus.EngineCounters counts(
            EngineStatus.EngineCounters a, EngineStatus.EngineCounters b) {
        return new EngineStatus.EngineCounters(
                new EngineStatus.Tokens(
                        a.tokens().prompt() + b.tokens().prompt(),
                        a.tokens().cachedPrompt() + b.tokens().cachedPrompt(),
                        a.tokens().generated() + b.tokens().generated()),
                a.preemptions() + b.preemptions(),
                a.replays() + b.replays(),
                a.steps() + b.steps(),
                a.hostSeconds() + b.hostSeconds(),
                new EngineStatus.Masks(
                        a.masks().count() + b.masks().count(),
                        a.masks().seconds() + b.masks().seconds()),
                a.failures().plus(b.failures()));
    }

    private static PrefixCacheStatus cache(PrefixCacheStatus a, PrefixCacheStatus b) {
        return new PrefixCacheStatus(
                new PrefixCacheStatus.HostTierStatus(
                        a.host().limitBytes() + b.host().limitBytes(),
                        a.host().usedBytes() + b.host().usedBytes(),
                        a.host().entries() + b.host().entries(),
                        a.host().keptTokens() + b.host().keptTokens()),
                new PrefixCacheStatus.Counts(
                        merged(a.counts().hits(), b.counts().hits()),
                        merged(a.counts().savedTokens(), b.counts().savedTokens()),
                        merged(a.counts().misses(), b.counts().misses()),
                        a.counts().evictions() + b.counts().evictions(),
                        moved(a.counts().moved(), b.counts().moved())),
                // All replicas share one disk store, one shared store and the prefill peers.
                a.disk().or(b::disk),
                a.shared().or(b::shared),
                a.handOff().or(b::handOff));
    }

    private static PrefixCacheStatus.TransferStats moved(
            PrefixCacheStatus.TransferStats a, PrefixCacheStatus.TransferStats b) {
        long[] restores = a.restores();
        long[] others = b.restores();
        for (int i = 0; i < restores.length; i++) {
            restores[i] += others[i];
        }
        return new PrefixCacheStatus.TransferStats(
                a.exportedBytes() + b.exportedBytes(),
                a.restoredBytes() + b.restoredBytes(),
                restores,
                a.restoreSeconds() + b.restoreSeconds());
    }

    private static <K> Map<K, Long> merged(Map<K, Long> a, Map<K, Long> b) {
        Map<K, Long> sum = new HashMap<>(a);
        b.forEach((key, count) -> sum.merge(key, count, Long::sum));
        return sum;
    }

    private static SpeculationCounts speculation(SpeculationCounts a, SpeculationCounts b) {
        return new SpeculationCounts(
                a.drafted() + b.drafted(),
                a.accepted() + b.accepted(),
                sums(a.accepts(), b.accepts()),
                sums(a.widths(), b.widths()),
                a.name().isEmpty() ? b.name() : a.name(),
                grades(a.grades(), b.grades()));
    }

    private static List<SpeculationCounts.ConfidenceBucket> grades(
            List<SpeculationCounts.ConfidenceBucket> a,
            List<SpeculationCounts.ConfidenceBucket> b) {
        Map<Integer, SpeculationCounts.ConfidenceBucket> sum = new TreeMap<>();
        Stream.concat(a.stream(), b.stream())
                .forEach(grade -> sum.merge(grade.grade(), grade, EngineStatusSum::grade));
        return List.copyOf(sum.values());
    }

    private static SpeculationCounts.ConfidenceBucket grade(
            SpeculationCounts.ConfidenceBucket a, SpeculationCounts.ConfidenceBucket b) {
        return new SpeculationCounts.ConfidenceBucket(
                a.grade(),
                a.drafted() + b.drafted(),
                a.accepted() + b.accepted(),
                a.verifySteps() + b.verifySteps());
    }

    private static List<Long> sums(List<Long> a, List<Long> b) {
        return new ArrayList<>(
                IntStream.range(0, Math.max(a.size(), b.size()))
                        .mapToObj(i -> at(a, i) + at(b, i))
                        .toList());
    }

    private static long at(List<Long> list, int index) {
        return index < list.size() ? list.get(index) : 0;
    }

    private static PagingStatus paging(PagingStatus a, PagingStatus b) {
        return new PagingStatus(
                a.options(),
                a.counts().plus(b.counts()),
                a.hostPages() + b.hostPages(),
                a.hostBytes() + b.hostBytes(),
                a.residentPages() + b.residentPages());
    }
}
