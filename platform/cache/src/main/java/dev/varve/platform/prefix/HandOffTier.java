package dev.varve.platform.prefix;

import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.SharedArchiveStatus.SearchOutcome;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Tier of the prefix cache that has long prompts computed by other servers and adopts their blocks,
 * in the way of a shared store. It reads blocks that a peer has finished while the peer computes
 * later ones. Whatever fails, this server computes the prompt. Only the engine's thread calls it;
 * other threads wait for peers, search and read.
 */
final class HandOffTier implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.prefix");

    /** The handed tokens are a multiple of this, so that this server computes the last ones. */
    private static final int STEP = 32;

    /** Pause between two searches for blocks that a peer has finished meanwhile. */
    private static final long SEARCH_MILLIS = 50;

    private static final Duration UNKNOWN_LIMIT = Duration.ofSeconds(60);
    private static final Duration LEAST_LIMIT = Duration.ofSeconds(2);
    private static final Duration MOST_LIMIT = Duration.ofMinutes(10);

    private final HandOffTierOptions options;
    private final ChainKeys keys;
    private final long bytesPerToken;
    private final boolean forgets;
    private final ArchivePrefetcher prefetcher;
    private final Runnable wakeUp;
    private final PrefillSpeed speed = new PrefillSpeed();
    private final ExecutorService searchers =
            Executors.newThreadPerTaskExecutor(
                    Thread.ofVirtual().name("varve-hand-off", 0).factory());
    private final List<HandOffPrefetch> loads = new ArrayList<>();
    private volatile boolean closed;

    /**
     * A request for a hand-off.
     *
     * @param boundaries positions of the prompt at which checkpoints are kept
     * @param known leading tokens that are cached on this server
     * @param tokensAhead prompt tokens that this server computes before those of the request
     * @param isAwaited whether the request is still queued
     */
    record Submission(
            PrefixQuery request,
            int[] boundaries,
            int known,
            int tokensAhead,
            BooleanSupplier isAwaited) {}

    /**
     * @param wakeUp called by other threads when a peer or a read has ended
     */
    HandOffTier(
            HostPrefixTree tree, CacheLayout layout, HandOffTierOptions options, Runnable wakeUp) {
        this.options = options;
        this.wakeUp = wakeUp;
        keys = new ChainKeys(options.namespace());
        bytesPerToken = layout.bytesPerToken();
        forgets = layout.forgets();
        prefetcher =
                new ArchivePrefetcher(tree, layout, CacheSource.PEER, "varve-peer-read", wakeUp);
    }

    HandOffStatus status() {
        return options.peers().status();
    }

    /** Records the prefill time of a prompt that this server computed. */
    void computed(int tokens, double millis) {
        speed.record(tokens, millis);
    }

    /** Sends the prompt of a request to a peer, if it is long and that is expected to be sooner. */
    Optional<PrefixPrefetch> load(Submission submission) {
        PrefixQuery request = submission.request();
        int end = (request.tokens().size() - 1) / STEP * STEP;
        int gain = end - submission.known();
        if (request.replay().end() > 0
                || gain < options.minTokens()
                || request.lastResume() < end
                || !request.tokens().images().isEmpty()
                // A peer computes with the scales that its adapters were loaded with.
                || !request.scope().lora().areAsLoaded()) {
            return Optional.empty();
        }
        HandOffPeers.Prompt prompt =
                new HandOffPeers.Prompt(
                        gain, bytesPerToken, speed.millis(gain + submission.tokensAhead()));
        return options.peers().choose(prompt).map(peer -> begin(peer, submission, end, gain));
    }

    private PrefixPrefetch begin(
            HandOffPeers.Assignment assignment, Submission submission, int end, int gain) {
        int[] tokens = submission.request().searched();
        Duration limit = options.limit().orElseGet(() -> limit(gain, assignment.tokensAhead()));
        PrefillPeer.Job job =
                new PrefillPeer.Job(
                        submission.request().scope(),
                        Arrays.copyOf(tokens, end),
                        HandOffBoundaries.of(submission.boundaries(), end, forgets));
        CompletableFuture<SharedPrefetch.SharedLookupResult> search =
                CompletableFuture.supplyAsync(
                                () -> prefill(assignment, job, tokens, submission, limit),
                                searchers)
                        // Without a result, the request would wait forever.
                        .exceptionally(failure -> unexpected(assignment, failure));
        EarlyPrefetch early =
                new EarlyPrefetch(found -> start(assignment, found, tokens, submission, limit));
        HandOffPrefetch load =
                new HandOffPrefetch(
                        search,
                        early,
                        new SharedPrefetch(
                                search,
                                submission.isAwaited(),
                                found ->
                                        read(assignment, found, tokens, submission, limit, early)));
        loads.add(load);
        search.whenComplete((found, failure) -> wakeUp.run());
        searchers.execute(() -> watch(assignment, job, early, search, limit));
        return load;
    }

    /** Offers blocks as soon as the peer has stored them. Runs on a thread of its own. */
    private void watch(
            HandOffPeers.Assignment assignment,
            PrefillPeer.Job job,
            EarlyPrefetch early,
            CompletableFuture<?> prefill,
            Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        ArrivingBlocks blocks =
                new ArrivingBlocks(
                        assignment.peer().archive(),
                        keys,
                        prefetcher.reservation(),
                        job.scope(),
                        job.tokens());
        try {
            while (!blocks.isComplete()
                    && !endsSoon(prefill, assignment.searchPeriods())
                    && early.isOpen()
                    && System.nanoTime() < deadline) {
                blocks.next(deadline)
                        .ifPresent(
                                found -> {
                                    early.offer(found);
                                    wakeUp.run();
                                });
            }
        } catch (ArchiveMissException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "blocks of peer {0} are read after the prompt: {1}",
                    assignment.peer().address(),
                    e.getMessage());
        }
    }

    /** Waits for some periods of the search; returns whether the peer has ended by then. */
    private static boolean endsSoon(CompletableFuture<?> prefill, int periods) {
        try {
            prefill.get(periods * SEARCH_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException | CancellationException e) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /**
     * Returns the default time limit of a prompt. The peer computes earlier prompts first, so their
     * tokens count, too: otherwise prompts that wait for a busy peer would all be computed here.
     */
    private Duration limit(int tokens, long tokensAhead) {
        long all = tokens + tokensAhead;
        OptionalDouble here = speed.millis(tokens);
        double alone = here.isPresent() ? 2 * here.getAsDouble() : UNKNOWN_LIMIT.toMillis();
        double millis = alone * all / tokens;
        return Duration.ofMillis(
                Math.clamp((long) millis, LEAST_LIMIT.toMillis(), MOST_LIMIT.toMillis()));
    }

    /** Waits for the peer, then searches its archive. Runs on a thread of its own. */
    private SharedPrefetch.SharedLookupResult prefill(
            HandOffPeers.Assignment assignment,
            PrefillPeer.Job job,
            int[] tokens,
            Submission submission,
            Duration limit) {
        try {
            // Other replicas may keep the connection to the peer open.
            assignment
                    .peer()
                    .prefill(job, limit, () -> !closed && submission.isAwaited().getAsBoolean());
            Optional<SharedSearch.Result> found =
                    new SharedSearch(
                                    assignment.peer().archive(),
                                    keys,
                                    prefetcher.reservation(),
                                    job.scope(),
                                    tokens,
                                    submission.known(),
                                    System.nanoTime() + limit.toNanos())
                            .run();
            if (found.isEmpty()) {
                fail(assignment, HandOffOutcome.INCOMPLETE, "the blocks do not exist");
            }
            return new SharedPrefetch.SharedLookupResult(SearchOutcome.FOUND, found);
        } catch (HandOffException e) {
            fail(assignment, e.outcome(), e.getMessage());
        } catch (ArchiveMissException e) {
            fail(assignment, HandOffOutcome.LOST, e.getMessage());
        } finally {
            assignment.endPrefill();
        }
        return new SharedPrefetch.SharedLookupResult(SearchOutcome.FAILED, Optional.empty());
    }

    private static SharedPrefetch.SharedLookupResult unexpected(
            HandOffPeers.Assignment assignment, Throwable failure) {
        fail(assignment, HandOffOutcome.LOST, failure.toString());
        return new SharedPrefetch.SharedLookupResult(SearchOutcome.FAILED, Optional.empty());
    }

    private static void fail(
            HandOffPeers.Assignment assignment, HandOffOutcome outcome, String why) {
        assignment.failed(outcome);
        LOG.log(
                outcome.suspends() ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                "peer {0} did not compute a prompt, which is computed here ({1}): {2}",
                assignment.peer().address(),
                outcome.word(),
                why);
    }

    /** Starts to read the objects of a prefix that host memory does not have. */
    private Optional<StorePrefetch> start(
            HandOffPeers.Assignment assignment,
            SharedSearch.Result found,
            int[] tokens,
            Submission submission,
            Duration limit) {
        return prefetcher.begin(
                assignment.peer().archive(),
                found,
                new ArchivePrefetcher.Target(
                        submission.request().scope(), tokens, submission.isAwaited()),
                System.nanoTime() + limit.toNanos());
    }

    /** Reads what the early loads have not read. */
    private Optional<StorePrefetch> read(
            HandOffPeers.Assignment assignment,
            SharedSearch.Result found,
            int[] tokens,
            Submission submission,
            Duration limit,
            EarlyPrefetch early) {
        long begin = System.nanoTime();
        Optional<StorePrefetch> load = start(assignment, found, tokens, submission, limit);
        int gain = found.prefix().position() - submission.known();
        int arrived = Math.max(0, early.position() - submission.known());
        load.ifPresent(
                each ->
                        each.whenEnded(
                                read -> {
                                    if (read) {
                                        adopted(assignment, gain, arrived, each.bytes(), begin);
                                    } else {
                                        fail(
                                                assignment,
                                                HandOffOutcome.INCOMPLETE,
                                                "a block could not be read");
                                    }
                                }));
        if (load.isEmpty() && arrived >= gain) {
            // All blocks arrived early, and a model without states needs nothing else.
            adopted(assignment, gain, gain, 0, begin);
        }
        return load;
    }

    private static void adopted(
            HandOffPeers.Assignment assignment, int tokens, int early, long bytes, long begin) {
        double millis = (System.nanoTime() - begin) / 1e6;
        assignment.adopted(tokens, bytes, millis);
        LOG.log(
                System.Logger.Level.INFO,
                "peer {0} computed {1} tokens of a prompt; the blocks of {2} arrived before it had"
                        + " ended, the others within {3} ms",
                assignment.peer().address(),
                tokens,
                early,
                Math.round(millis));
    }

    /** Processes ended hand-offs. */
    void poll() {
        loads.forEach(HandOffPrefetch::advance);
        loads.removeIf(HandOffPrefetch::isReleased);
    }

    /** Whether a hand-off has ended that is not processed yet. */
    boolean hasEndedLoad() {
        return loads.stream().anyMatch(HandOffPrefetch::hasEndedLoad);
    }

    /** Closes the peers, which ends waits for them. */
    @Override
    public void close() {
        closed = true;
        options.peers().close();
        searchers.close();
        prefetcher.close();
    }
}
