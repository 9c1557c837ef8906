package dev.varve.bench;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ChatDialect;
import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Replies;
import dev.varve.bench.http.stream.Target;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.HttpServer;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.Qwen35Model;

import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the cost of a chat without computing: HTTP, JSON, template, tokens, hand-overs. The
 * engine is scripted and emits a token every 2 ms; server and client are in this process, and the
 * client's part is in the figures.
 *
 * <pre>
 * RequestBench [turns 400] [tokens 50]
 * </pre>
 */
public final class RequestBench {
    private static final PrintStream OUT = System.out;
    private static final int CONTEXT = 4096;
    private static final int GROUP = 50;
    private static final String TEMPLATE =
            "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
                    + "{% endfor %}<|im_start|>assistant\n";

    private RequestBench() {}

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        int turns = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 400;
        int tokens = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50;
        Tokenizer tokenizer = tokenizer();
        try (HttpServer server = HttpServer.start(HttpOptions.loopback());
                Scripted engine = new Scripted(tokenizer.encode("a", false)[0]);
                HttpClient http = HttpClient.newHttpClient()) {
            server.ready(served(tokenizer, engine));
            ChatClient client =
                    new ChatClient(
                            http,
                            Target.parse(server.uri().toString(), Optional.empty()),
                            Duration.ofSeconds(30));
            List<Long> first = new ArrayList<>();
            List<Long> others = new ArrayList<>();
            for (int turn = 0; turn < turns; turn++) {
                ChatRequest request = new ChatRequest("Tell me about number " + turn, tokens);
                Answer answer = Replies.await(client.stream(request));
                first.add(answer.firstTokenNanos());
                List<Long> said = engine.said.join();
                for (int i = 1; i < Math.min(said.size(), answer.chunks().size()); i++) {
                    others.add(answer.chunks().get(i) - said.get(i));
                }
                if (first.size() == GROUP) {
                    OUT.printf(
                            Locale.ROOT,
                            "turns to %4d: first token after %.2f ms, others %.3f ms after the"
                                    + " engine said them (medians)%n",
                            turn + 1,
                            median(first) / 1e6,
                            median(others) / 1e6);
                    first.clear();
                    others.clear();
                }
            }
        }
        System.exit(0);
    }

    private static Tokenizer tokenizer() throws IOException {
        Path folder = Files.createTempDirectory("varve-bench");
        Path file = Qwen35Model.tiny().write(folder);
        Tokenizer tokenizer = Tokenizer.of(GgufFile.open(file).metadata());
        Files.delete(file);
        Files.delete(folder);
        return tokenizer;
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }

    private static ServedModel served(Tokenizer tokenizer, Engine engine) {
        return new ServedModel(
                new ModelDescription("scripted", "qwen35", CONTEXT, Map.of()),
                engine,
                new ModelTextProcessing(
                        tokenizer,
                        Optional.of(new ChatRenderer(ChatTemplate.compile(TEMPLATE), tokenizer)),
                        ResponseSyntax.of(
                                new ChatDialect(Optional.empty(), Optional.empty()), tokenizer),
                        ReasoningDefaults.none()));
    }

    /**
     * Emits one token up to the limit of a request, and records the times. For one request at a
     * time.
     */
    private static final class Scripted implements Engine {
        private static final long PACE_NANOS = 2_000_000;

        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private volatile CompletableFuture<List<Long>> said = new CompletableFuture<>();
        private final int token;

        Scripted(int token) {
            this.token = token;
        }

        @Override
        public List<GenerationHandle> submit(List<NewRequest> submissions) {
            return submissions.stream().map(this::speak).toList();
        }

        private GenerationHandle speak(NewRequest submission) {
            CompletableFuture<List<Long>> times = new CompletableFuture<>();
            said = times;
            thread.execute(
                    () -> {
                        List<Long> saying = new ArrayList<>();
                        int count = submission.request().ending().maxTokens();
                        submission.listener().onStart(0);
                        for (int i = 0; i < count; i++) {
                            LockSupport.parkNanos(i == 0 ? 0 : PACE_NANOS);
                            saying.add(System.nanoTime());
                            submission
                                    .listener()
                                    .onToken(new GeneratedToken(token, Optional.empty()));
                        }
                        times.complete(saying);
                        submission
                                .listener()
                                .onEnd(
                                        new GenerationEnd(
                                                GenerationEnd.Reason.LENGTH,
                                                new GenerationEnd.Tokens(
                                                        submission.request().prompt().length(),
                                                        0,
                                                        count),
                                                new GenerationEnd.Times(1, 2, 3),
                                                PrefixLookupResult.missed(MissReason.UNKNOWN)));
                    });
            return () -> {};
        }

        @Override
        public EngineStatus status() {
            return new EngineStatus(
                    new EngineStatus.Load(CONTEXT, 1, 0, 0),
                    new KvSlotUsage(CONTEXT, 0, 0),
                    new ShardMemory(0, 0, 0, 0),
                    EngineStatus.EngineCounters.NONE,
                    PrefixCacheStatus.NONE,
                    List.of());
        }

        @Override
        public CompletableFuture<List<CachedPrefixInfo>> cacheEntries() {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<Void> clearCache() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<VarveException> broken() {
            return new CompletableFuture<>();
        }

        @Override
        public boolean drain(Duration limit) {
            return true;
        }

        @Override
        public void close() {
            thread.shutdown();
        }
    }
}
