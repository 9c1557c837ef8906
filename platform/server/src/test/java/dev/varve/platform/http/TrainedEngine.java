package dev.varve.platform.http;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.SpeculationCounts;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * An engine whose model knows what to answer to a prompt, and writes it where its constraint allows
 * that. Where it does not, the model writes permitted tokens at random until it may end.
 */
final class TrainedEngine extends EngineStub {
    static final int CONTEXT = 1 << 15;

    private final Tokenizer tokenizer;
    private final UnaryOperator<String> model;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    /**
     * Creates an engine.
     *
     * @param model the answer to a prompt
     */
    TrainedEngine(Tokenizer tokenizer, UnaryOperator<String> model) {
        this.tokenizer = tokenizer;
        this.model = model;
    }

    @Override
    public List<GenerationHandle> submit(List<NewRequest> submissions) {
        return submissions.stream().map(each -> begin(each.request(), each.listener())).toList();
    }

    private GenerationHandle begin(GenerationRequest request, GenerationListener listener) {
        String prompt = tokenizer.decode(request.prompt().tokens(), true);
        thread.execute(() -> generate(request, model.apply(prompt), listener));
        return () -> {};
    }

    private void generate(GenerationRequest request, String answer, GenerationListener listener) {
        Writer writer = new Writer(request.choice().constraint(), answer);
        listener.onStart(0);
        int count = 0;
        GenerationEnd.Reason reason = GenerationEnd.Reason.END_TOKEN;
        for (OptionalInt next = writer.next(); next.isPresent(); next = writer.next()) {
            count++;
            if (!listener.onToken(new GeneratedToken(next.getAsInt(), Optional.empty()))) {
                reason = GenerationEnd.Reason.STOPPED;
                break;
            }
            if (count == request.ending().maxTokens()) {
                reason = GenerationEnd.Reason.LENGTH;
                break;
            }
        }
        listener.onEnd(
                new GenerationEnd(
                        reason,
                        new GenerationEnd.Tokens(request.prompt().length(), 0, count),
                        new GenerationEnd.Times(1, 2, 3),
                        PrefixLookupResult.missed(MissReason.UNKNOWN)));
    }

    /** Writes one answer. */
    private final class Writer {
        private final Random random = new Random(7);
        private final TokenConstraint constraint;
        private final Deque<Integer> rest = new ArrayDeque<>();

        Writer(TokenConstraint constraint, String answer) {
            this.constraint = constraint;
            IntStream.of(tokenizer.encode(answer, true)).forEach(rest::addLast);
        }

        /** The next token; empty at the end of the answer. */
        OptionalInt next() {
            OptionalInt forced = constraint.forced();
            OptionalInt token = forced.isPresent() ? forced : chosen();
            if (forced.isPresent() && !rest.isEmpty() && rest.getFirst() == forced.getAsInt()) {
                rest.removeFirst();
            }
            token.ifPresent(constraint::accept);
            return token;
        }

        private OptionalInt chosen() {
            if (!rest.isEmpty() && allows(rest.getFirst())) {
                return OptionalInt.of(rest.removeFirst());
            }
            // It cannot go on as it wants to.
            rest.clear();
            return mayEnd() ? OptionalInt.empty() : OptionalInt.of(any());
        }

        private boolean allows(int token) {
            return !constraint.constrains() || constraint.allows(token);
        }

        private boolean mayEnd() {
            return tokenizer.endTokens().stream().anyMatch(this::allows);
        }

        private int any() {
            TokenMask mask = constraint.mask();
            int[] allowed =
                    IntStream.range(0, tokenizer.vocabularySize()).filter(mask::allows).toArray();
            return allowed[random.nextInt(allowed.length)];
        }
    }

    @Override
    public EngineStatus status() {
        return new EngineStatus(
                new EngineStatus.Load(CONTEXT, 4, 0, 0),
                new KvSlotUsage(CONTEXT, 0, 0),
                new ShardMemory(1, 0, 1, 1),
                new EngineStatus.EngineCounters(
                        new EngineStatus.Tokens(0, 0, 0),
                        0,
                        0,
                        0,
                        0,
                        new EngineStatus.Masks(0, 0),
                        FailureCounter.Report.NONE),
                PrefixCacheStatus.NONE,
                SpeculationCounts.NONE,
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
