package dev.varve.platform.store;

import dev.varve.platform.store.ObjectIndex.Node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Selects the segment to evict, and the objects to carry over from it. The benefit of a checkpoint
 * is the number of tokens that it saves times the likelihood of its next use, which grows with its
 * uses and decays with its age. The score of a segment is the benefit that its loss would cost per
 * chunk: that of the checkpoints in it, and of those that need a block of it.
 *
 * @param candidates segments that may be evicted
 * @param now milliseconds since 1970
 */
record SegmentEviction(Predicate<Integer> candidates, long now) {
    /** Time in which the likelihood of another use halves. */
    private static final double HALF_LIFE = Duration.ofDays(2).toMillis();

    /** Maximum part of a segment that is carried over; a larger part would free too little. */
    private static final double MOST_CARRIED = 0.4;

    /** Maximum age at which a checkpoint without uses is carried over. */
    private static final double MAX_UNUSED_AGE = Duration.ofHours(1).toMillis();

    /**
     * A planned eviction.
     *
     * @param segment segment to delete
     * @param carried objects of it to write again before, parents first
     */
    record Plan(int segment, List<ObjectKey> carried) {}

    /** A checkpoint, its benefit, and the objects that it needs. */
    private record ScoredCheckpoint(Node checkpoint, double benefit, List<Node> chain) {}

    /** Plans an eviction; empty if no candidate has objects. */
    Optional<Plan> plan(Collection<Node> nodes) {
        Map<Integer, Double> scores = new HashMap<>();
        Map<Integer, Long> chunks = new HashMap<>();
        List<ScoredCheckpoint> all = new ArrayList<>();
        for (Node node : nodes) {
            if (candidates.test(node.segment())) {
                scores.putIfAbsent(node.segment(), 0.0);
                chunks.merge(node.segment(), (long) node.chunks(), Long::sum);
            }
            if (node.name().kind() == ObjectKind.CHECKPOINT) {
                all.add(score(node));
            }
        }
        for (ScoredCheckpoint each : all) {
            Set<Integer> touched = new HashSet<>();
            each.chain().forEach(node -> touched.add(node.segment()));
            touched.forEach(
                    segment ->
                            scores.computeIfPresent(segment, (key, sum) -> sum + each.benefit()));
        }
        return scores.keySet().stream()
                .min(
                        Comparator.comparingDouble(
                                        (Integer segment) ->
                                                scores.get(segment) / chunks.get(segment))
                                .thenComparing(Comparator.naturalOrder()))
                .map(
                        victim ->
                                new Plan(
                                        victim,
                                        carriedOver(
                                                victim,
                                                all,
                                                (long) (MOST_CARRIED * chunks.get(victim)))));
    }

    private ScoredCheckpoint score(Node checkpoint) {
        List<Node> chain = new ArrayList<>();
        for (Optional<Node> at = Optional.of(checkpoint); at.isPresent(); at = at.get().parent()) {
            chain.add(at.get());
        }
        double age = age(checkpoint);
        double chance = (1 + checkpoint.uses()) * Math.pow(0.5, age / HALF_LIFE);
        return new ScoredCheckpoint(checkpoint, checkpoint.name().position() * chance, chain);
    }

    /** Never negative, because the clock may have been set back. */
    private double age(Node node) {
        return Math.max(0, now - node.lastUse());
    }

    /** The best checkpoints that need objects of the segment, with those objects. */
    private List<ObjectKey> carriedOver(int victim, List<ScoredCheckpoint> all, long most) {
        List<ScoredCheckpoint> touching =
                all.stream()
                        .filter(
                                each ->
                                        each.checkpoint().uses() > 0
                                                || age(each.checkpoint()) < MAX_UNUSED_AGE)
                        .filter(
                                each ->
                                        each.chain().stream()
                                                .anyMatch(node -> node.segment() == victim))
                        .sorted(
                                Comparator.comparingDouble(
                                                (ScoredCheckpoint each) ->
                                                        each.benefit() / chunks(each))
                                        .reversed())
                        .toList();
        Set<Node> chosen = new LinkedHashSet<>();
        long sum = 0;
        for (ScoredCheckpoint each : touching) {
            List<Node> more =
                    each.chain().stream()
                            .filter(node -> node.segment() == victim && !chosen.contains(node))
                            .toList();
            long chunks = more.stream().mapToLong(Node::chunks).sum();
            if (sum + chunks <= most) {
                chosen.addAll(more);
                sum += chunks;
            }
        }
        return chosen.stream()
                .map(Node::name)
                .sorted(ObjectDescriptor.PARENTS_FIRST)
                .map(ObjectDescriptor::key)
                .toList();
    }

    private static long chunks(ScoredCheckpoint scored) {
        return scored.chain().stream().mapToLong(Node::chunks).sum();
    }
}
