package dev.varve.platform.replica;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.SpeculationCounts;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.SlotUse;
import dev.varve.platform.shard.ShardMemory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What engines of one model hold and did, together. */
final class StatusSum {
    private StatusSum() {}

    /** The sum of two; what cannot be summed up is that of the first. */
    static EngineStatus of(EngineStatus a, EngineStatus b) {
        return new EngineStatus(
                new EngineStatus.Load(
                        a.load().contextTokens(),
                        a.load().parallel() + b.load().parallel(),
                        a.load().waiting() + b.load().waiting(),
                        a.load().running() + b.load().running()),
                new SlotUse(
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
                Stream.concat(a.shards().stream(), b.shards().stream()).toList(),
                a.draft().or(b::draft),
                a.paging().map(first -> paging(first, b.paging())).or(b::paging),
                // As long as one computes, nobody waits.
                a.outage().filter(each -> b.outage().isPresent()),
                List.of());
    }

    /** What an engine did that is not there any more and holds nothing. */
    static EngineStatus countsOf(EngineStatus status) {
        PrefixCacheStatus cache = status.cache();
        return new EngineStatus(
                new EngineStatus.Load(status.load().contextTokens(), 0, 0, 0),
                new SlotUse(0, 0, 0),
                new ShardMemory(0, 0, 0, 0),
                status.counts(),
                new PrefixCacheStatus(PrefixCacheStatus.NONE.host(), cache.counts()),
                status.speculation(),
                List.<ShardStatus>of(),
                Optional.empty(),
                status.paging().map(past -> new PagingStatus(past.options(), past.counts(), 0, 0)));
    }

    private static EngineStatus.Counts counts(EngineStatus.Counts a, EngineStatus.Counts b) {
        return new EngineStatus.Counts(
                new EngineStatus.Tokens(
                        a.tokens().prompt() + b.tokens().prompt(),
                        a.tokens().cachedPrompt() + b.tokens().cachedPrompt(),
                        a.tokens().generated() + b.tokens().generated()),
                a.preemptions() + b.preemptions(),
                a.replays() + b.replays(),
                a.steps() + b.steps(),
                new EngineStatus.Masks(
                        a.masks().count() + b.masks().count(),
                        a.masks().seconds() + b.masks().seconds()));
    }

    private static PrefixCacheStatus cache(PrefixCacheStatus a, PrefixCacheStatus b) {
        return new PrefixCacheStatus(
                new PrefixCacheStatus.Tier(
                        a.host().limitBytes() + b.host().limitBytes(),
                        a.host().usedBytes() + b.host().usedBytes(),
                        a.host().entries() + b.host().entries(),
                        a.host().blockTokens() + b.host().blockTokens()),
                new PrefixCacheStatus.Counts(
                        merged(a.counts().hits(), b.counts().hits()),
                        merged(a.counts().savedTokens(), b.counts().savedTokens()),
                        merged(a.counts().misses(), b.counts().misses()),
                        a.counts().evictions() + b.counts().evictions(),
                        moved(a.counts().moved(), b.counts().moved())),
                // One archive for all.
                a.disk().or(b::disk),
                a.shared().or(b::shared));
    }

    private static PrefixCacheStatus.Moved moved(
            PrefixCacheStatus.Moved a, PrefixCacheStatus.Moved b) {
        long[] restores = a.restores();
        long[] others = b.restores();
        for (int i = 0; i < restores.length; i++) {
            restores[i] += others[i];
        }
        return new PrefixCacheStatus.Moved(
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
                sums(a.widths(), b.widths()));
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

    private static PagingStatus paging(PagingStatus a, Optional<PagingStatus> other) {
        return other.map(
                        b ->
                                new PagingStatus(
                                        a.options(),
                                        a.counts().plus(b.counts()),
                                        a.hostPages() + b.hostPages(),
                                        a.hostBytes() + b.hostBytes()))
                .orElse(a);
    }
}
