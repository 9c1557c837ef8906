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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Tier of the prefix cache that has long prompts computed by other servers and adopts their blocks,
 * in the way of a shared store. Whatever fails, this server computes the prompt. Only the engine's
 * thread calls it; other threads wait for peers, search and read.
 */
final class HandOffTier implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.prefix");

    /** The handed tokens are a multiple of this, so that this server computes the last ones. */
    private static final int STEP = 32;

    private static final Duration UNKNOWN_LIMIT = Duration.ofSeconds(60);
    private static final Duration LEAST_LIMIT = Duration.ofSeconds(2);
    private static final Duration MOST_LIMIT = Duration.ofMinutes(10);

    private final HandOffTierOptions options;
    private final ChainKeys keys;
    private final long bytesPerToken;
    private final ArchivePrefetcher prefetcher;
    private final Runnable wakeUp;
    private final PrefillSpeed speed = new PrefillSpeed();
    private final ExecutorService searchers =
            Executors.newThreadPerTaskExecutor(
                    Thread.ofVirtual().name("varve-hand-off", 0).factory());
    private final List<SharedPrefetch> loads = new ArrayList<>();

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
        Duration limit = options.limit().orElseGet(() -> limit(gain));
        PrefillPeer.Job job =
                new PrefillPeer.Job(
                        submission.request().scope(),
                        Arrays.copyOf(tokens, end),
                        boundaries(submission.boundaries(), end));
        CompletableFuture<SharedPrefetch.SharedLookupResult> search =
                CompletableFuture.supplyAsync(
                                () -> prefill(assignment, job, tokens, submission, limit),
                                searchers)
                        // Without a result, the request would wait forever.
                        .exceptionally(failure -> unexpected(assignment, failure));
        SharedPrefetch load =
                new SharedPrefetch(
                        search,
                        submission.isAwaited(),
                        found -> read(assignment, found, tokens, submission, limit));
        loads.add(load);
        search.whenComplete((found, failure) -> wakeUp.run());
        return load;
    }

    private Duration limit(int tokens) {
        if (speed.millis(tokens).isEmpty()) {
            return UNKNOWN_LIMIT;
        }
        Duration twice = Duration.ofMillis((long) (2 * speed.millis(tokens).getAsDouble()));
        Duration most = twice.compareTo(MOST_LIMIT) > 0 ? MOST_LIMIT : twice;
        return most.compareTo(LEAST_LIMIT) < 0 ? LEAST_LIMIT : most;
    }

    /** Boundaries inside the handed tokens, and their end. */
    private static int[] boundaries(int[] all, int end) {
        return IntStream.concat(
                        Arrays.stream(all).filter(boundary -> boundary < end), IntStream.of(end))
                .toArray();
    }

    /** Waits for the peer, then searches its archive. Runs on a thread of its own. */
    private SharedPrefetch.SharedLookupResult prefill(
            HandOffPeers.Assignment assignment,
            PrefillPeer.Job job,
            int[] tokens,
            Submission submission,
            Duration limit) {
        try {
            assignment.peer().prefill(job, limit, submission.isAwaited());
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

    private Optional<StorePrefetch> read(
            HandOffPeers.Assignment assignment,
            SharedSearch.Result found,
            int[] tokens,
            Submission submission,
            Duration limit) {
        long begin = System.nanoTime();
        Optional<StorePrefetch> load =
                prefetcher.begin(
                        assignment.peer().archive(),
                        found,
                        new ArchivePrefetcher.Target(
                                submission.request().scope(), tokens, submission.isAwaited()),
                        begin + limit.toNanos());
        int gain = found.prefix().position() - submission.known();
        load.ifPresent(each -> each.whenEnded(read -> end(assignment, read, gain, begin)));
        return load;
    }

    private void end(HandOffPeers.Assignment assignment, boolean read, int tokens, long begin) {
        if (!read) {
            fail(assignment, HandOffOutcome.INCOMPLETE, "a block could not be read");
            return;
        }
        double millis = (System.nanoTime() - begin) / 1e6;
        assignment.adopted(tokens, tokens * bytesPerToken, millis);
        LOG.log(
                System.Logger.Level.INFO,
                "peer {0} computed {1} tokens of a prompt; their blocks arrived within {2} ms",
                assignment.peer().address(),
                tokens,
                Math.round(millis));
    }

    /** Processes ended hand-offs. */
    void poll() {
        loads.forEach(SharedPrefetch::advance);
        loads.removeIf(SharedPrefetch::isReleased);
    }

    /** Whether a hand-off has ended that is not processed yet. */
    boolean hasEndedLoad() {
        return loads.stream().anyMatch(SharedPrefetch::hasEndedLoad);
    }

    /** Closes the peers, which ends waits for them. */
    @Override
    public void close() {
        options.peers().close();
        searchers.close();
        prefetcher.close();
    }
}
