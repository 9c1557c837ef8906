package dev.varve.bench;

import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.CompressionTimes;
import dev.varve.platform.compression.conversation.CompressedConversation;
import dev.varve.platform.compression.conversation.CompressionOverrides;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen3Model;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Measures how much earlier the first token arrives if a drafter compresses the prompt and the
 * model computes the tokens that stay, in pairs next to each other.
 *
 * <pre>
 * CompressionBench [--model FILE --drafter FILE] [--folder DIR] [--threads 2] [-p 16000] [--keep 0.1] [--pairs 9]
 *     [--goal 3] [--layers 8] [--drafter-layers 2] [--drafter-width 512]
 * </pre>
 *
 * <p>Without files, a dense model of 8 layers of the width of Qwen3-0.6B, and a drafter of 2 layers
 * of half that width, whose tokens cost about a tenth. Texts are words of random letters; each is
 * requested once, so that no cache holds it.
 */
public final class CompressionBench {
    private static final PrintStream OUT = System.out;
    private static final double MILLI = 1e6;

    /** Tokens by which the costs of both models are compared, and a first text for both. */
    private static final int SHORT = 2048;

    /** Tokens beside the text: message start tokens, the question, the answer. */
    private static final int ROOM = 1024;

    private static final int VOCABULARY = 4096;

    private final Map<String, String> flags;
    private final HostedModel model;
    private final HostedModel reader;
    private final ChatRenderer chat;
    private final Random random = new Random(3);

    private CompressionBench(Map<String, String> flags, HostedModel model, HostedModel reader) {
        this.flags = flags;
        this.model = model;
        this.reader = reader;
        chat = new ChatRenderer(ChatTemplate.compile(Qwen35Model.CHAT_ML), model.tokenizer());
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        int tokens = number(flags, "-p", 16_000);
        Path file = file(flags, "--model", new Shape(number(flags, "--layers", 8), 1024, 16));
        int width = number(flags, "--drafter-width", 512);
        Path drafter =
                file(
                        flags,
                        "--drafter",
                        new Shape(number(flags, "--drafter-layers", 2), width, width / 64));
        ConversationCompressionSettings options =
                ConversationCompressionSettings.of(
                        CompressionMode.ALWAYS,
                        0,
                        KeepRatio.parse(flags.getOrDefault("--keep", "0.1")));
        try (HostedModel model =
                        HostedModel.open(
                                settings(flags, file, tokens)
                                        .with(CompressionSettings.of(drafter, options)));
                HostedModel reader = HostedModel.open(settings(flags, drafter, SHORT))) {
            new CompressionBench(flags, model, reader).run(tokens);
        }
        System.exit(0);
    }

    private static int number(Map<String, String> flags, String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    private static HostSettings settings(Map<String, String> flags, Path file, int tokens) {
        return HostSettings.of(file, file.getParent(), file.getParent())
                .with(BenchPlugins.settings(file))
                .withSequences(tokens + ROOM, 1)
                .withThreads(number(flags, "--threads", 2));
    }

    private record Shape(int layers, int width, int heads) {}

    private static Path file(Map<String, String> flags, String flag, Shape shape)
            throws IOException {
        if (flags.containsKey(flag)) {
            return Path.of(flags.get(flag)).toAbsolutePath();
        }
        return Qwen3Model.real06b(VOCABULARY)
                .withSize(
                        new Qwen35Model.Size(
                                shape.layers(),
                                shape.width(),
                                3 * shape.width(),
                                VOCABULARY,
                                40_960))
                .withAttention(
                        new Qwen3Model.Attention(
                                shape.heads(), shape.heads() / 2, 128, false, false))
                .withType(TensorType.parse(flags.getOrDefault("--type", "Q8_0")))
                .write(Path.of(flags.getOrDefault("--folder", ".")).toAbsolutePath());
    }

    private void run(int tokens) {
        double model = prefill(this.model, text(SHORT - ROOM));
        double reader = prefill(this.reader, text(SHORT - ROOM));
        OUT.printf(
                Locale.ROOT,
                "a token of the model costs %.1f of the drafter (prefill of %d)%n",
                model / reader,
                SHORT - ROOM);
        Ratio ratio =
                new Ratio(
                        "first of " + tokens,
                        Double.parseDouble(flags.getOrDefault("--goal", "3")));
        compressed(text(SHORT));
        for (int pair = 0; pair < number(flags, "--pairs", 9); pair++) {
            // Being first has an advantage or a cost, so the sides alternate.
            double whole = pair % 2 == 0 ? whole(text(tokens)) : 0;
            double compressed = compressed(text(tokens));
            if (pair % 2 != 0) {
                whole = whole(text(tokens));
            }
            ratio.add(tokens * 1000 / compressed, tokens * 1000 / whole);
            OUT.printf(
                    Locale.ROOT,
                    "    whole %.0f ms, compressed %.0f ms: %.2f times as soon%n",
                    whole,
                    compressed,
                    whole / compressed);
        }
        OUT.println(ratio.describe("compressed", "whole"));
    }

    /** Words of random letters, of about so many tokens, and a question. */
    private String text(int tokens) {
        StringBuilder text = new StringBuilder();
        int perLook = 4096;
        while (true) {
            for (int i = 0; i < perLook; i++) {
                text.append(random.nextInt(6) == 0 ? ' ' : (char) ('a' + random.nextInt(26)));
            }
            int length = model.tokenizer().encode(text.toString(), false).length;
            if (length >= tokens) {
                int chars = (int) ((long) text.length() * tokens / length);
                return text.substring(0, chars) + "\n\nWhich word came first?";
            }
        }
    }

    private static Map<String, Object> message(String text) {
        return Map.of("role", "user", "content", text);
    }

    private static Map<String, Object> variables(List<Map<String, Object>> messages) {
        return Map.of("messages", messages, "add_generation_prompt", true);
    }

    private static double prefill(HostedModel model, String text) {
        int[] tokens = model.encode(text);
        return first(model, tokens) / tokens.length;
    }

    /** Milliseconds to the first token of a chat that is computed as it is. */
    private double whole(String text) {
        long begin = System.nanoTime();
        int[] tokens = chat.render(variables(List.of(message(text)))).tokens();
        first(model, tokens);
        return (System.nanoTime() - begin) / MILLI;
    }

    private double compressed(String text) {
        long begin = System.nanoTime();
        List<Map<String, Object>> messages = new ArrayList<>(List.of(message(text)));
        int[] tokens = chat.render(variables(messages)).tokens();
        CompressedConversation shorter =
                model.compressor()
                        .orElseThrow()
                        .compress(
                                new ConversationCompressor.Conversation(
                                        messages,
                                        each -> chat.text(variables(each)),
                                        each -> tokens.length),
                                CompressionOverrides.USUAL,
                                () -> false)
                        .orElseThrow();
        int[] left = chat.render(variables(shorter.messages())).tokens();
        long prefill = System.nanoTime();
        first(model, left);
        long end = System.nanoTime();
        CompressionTimes times = shorter.times();
        OUT.printf(
                Locale.ROOT,
                "    %d of %d tokens: template and tokens %.0f ms, drafter's tokens %.0f ms, scores"
                        + " %.0f ms, selection %.0f ms, prefill %.0f ms%n",
                left.length,
                tokens.length,
                (prefill - begin) / MILLI - times.millis(),
                times.tokenizeMillis(),
                times.scoreMillis(),
                times.selectMillis(),
                (end - prefill) / MILLI);
        return (end - begin) / MILLI;
    }

    /** Milliseconds to the first token. */
    private static double first(HostedModel model, int[] prompt) {
        long begin = System.nanoTime();
        CompletableFuture<Long> first = new CompletableFuture<>();
        Awaited listener =
                new Awaited() {
                    @Override
                    public boolean onToken(GeneratedToken token) {
                        first.complete(System.nanoTime());
                        return true;
                    }
                };
        model.engine().submit(GenerationRequest.greedy(prompt, 1), listener);
        listener.end.join();
        return (first.join() - begin) / MILLI;
    }
}
