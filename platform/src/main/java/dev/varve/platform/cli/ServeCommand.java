package dev.varve.platform.cli;

import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ReasoningTokens;
import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.HttpServer;
import dev.varve.platform.http.ServedModel;
import dev.varve.platform.template.ChatTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Serves a model over HTTP until the process is asked to stop. */
@Command(
        name = "serve",
        description = "Serves a model over an OpenAI-compatible HTTP API. SIGTERM and Ctrl-C let running answers end.",
        footer = {
            "  varve serve --model model.gguf",
            "  varve serve --model model.gguf --port 0 --parallel 8 --cache-type-k q8_0 --cache-type-v q8_0",
            "  VARVE_API_KEY=secret varve serve --model model.gguf --host 0.0.0.0",
            "  curl http://127.0.0.1:8080/v1/chat/completions -H 'Content-Type: application/json' \\",
            "       -d '{\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]}'"
        })
final class ServeCommand extends CliCommand {
    /** Time that running answers get after SIGTERM. */
    private static final Duration DRAIN = Duration.ofSeconds(30);

    private static final String TEMPLATE_KEY = "tokenizer.chat_template";

    @Mixin
    private ModelArguments model;

    @Mixin
    private ServeArguments serve;

    @Override
    int run() throws InterruptedException {
        HttpOptions options = new HttpOptions(serve.host(), serve.port(), serve.requireKeys(environment()),
                serve.insecure(), Set.copyOf(serve.corsOrigins()), Math.toIntExact(serve.maxBodyBytes()));
        CountDownLatch stopping = new CountDownLatch(1);
        ShutdownGuard guard = ShutdownGuard.of(stopping::countDown, DRAIN.plusSeconds(5));
        try {
            serve(options, stopping);
        } finally {
            guard.close();
        }
        return 0;
    }

    private void serve(HttpOptions options, CountDownLatch stopping) throws InterruptedException {
        // Listens first: a taken port is found before minutes of loading, and /health can say that the model loads.
        try (HttpServer server = HttpServer.start(options);
                ModelRuntime runtime = open(
                        model, model.settings(serve.parallel(), serve.kvTokens(), serve.maxQueue()))) {
            ServedModel served = served(runtime);
            server.ready(served);
            out().println("Serving " + served.id() + " on " + server.uri());
            out().flush();
            stopping.await();
            err().println("varve: stopping; running answers have " + DRAIN.toSeconds() + " s to end");
            err().flush();
            if (!server.drain(DRAIN)) {
                err().println("varve: some answers did not end in time and are cut off");
                err().flush();
            }
        }
    }

    private ServedModel served(ModelRuntime runtime) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("device", model.device().toString());
        details.put("threads", runtime.threads());
        details.put("load_ms", Math.round(runtime.loadMillis()));
        details.put("memory_plan", runtime.plan().describe(model.device().toString()));
        return new ServedModel(
                serve.modelName(model.model()),
                runtime.file().architecture(),
                runtime.adapter().shape().contextLength(),
                runtime.engine(),
                runtime.tokenizer(),
                template(runtime).map(template -> new ChatRenderer(template, runtime.tokenizer())),
                ReasoningTokens.of(runtime.adapter().chatDialect(), runtime.tokenizer()),
                details);
    }

    private Optional<ChatTemplate> template(ModelRuntime runtime) {
        Optional<String> source = serve.chatTemplateFile()
                .map(ServeCommand::read)
                .or(() -> runtime.file().metadata().findString(TEMPLATE_KEY));
        return source.map(ChatTemplate::compile);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UsageException("--chat-template-file: " + file + " cannot be read: " + e);
        }
    }
}
