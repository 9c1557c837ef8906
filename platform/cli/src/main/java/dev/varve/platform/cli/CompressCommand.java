package dev.varve.platform.cli;

import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.compression.CompressedText;
import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.PromptMessage;
import dev.varve.platform.compression.conversation.CompressedConversation;
import dev.varve.platform.compression.conversation.CompressionOverrides;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.host.ProxyPrefillDrafter;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Shows which tokens of a conversation prompt compression would keep. */
@Command(
        name = "compress",
        addMethodSubcommands = false,
        description = {
            "Shows which parts of a prompt compression would keep. A terminal shows removed"
                    + " text dimmed; other output marks it.",
            "The command reads only the template and the vocabulary of the model; the prefill"
                    + " drafter scores the prompt."
        },
        customSynopsis = "varve compress [--model FILE] --drafter FILE --input FILE [OPTIONS]",
        footer = {
            "  varve compress --input chat.json",
            "  varve compress --model model.gguf --drafter Qwen3-0.6B-Q8_0.gguf \\",
            "       --input chat.json --keep 0.2 --json",
            "  where chat.json holds {\"messages\":[{\"role\":\"user\",\"content\":\"…\"}]}"
        })
final class CompressCommand extends CliCommand {
    @Mixin private ModelLoadArguments model;

    @Option(
            names = "--drafter",
            paramLabel = "FILE",
            description =
                    "Small model that scores the prompt (default: demo:drafter, for a demo model).",
            order = 1)
    private Optional<String> drafter = Optional.empty();

    @Option(
            names = "--input",
            required = true,
            paramLabel = "FILE",
            description = "JSON object with messages and optionally tools, as a client sends it.",
            order = 2)
    private Path input;

    @Option(
            names = "--keep",
            paramLabel = "R",
            description =
                    "Share of the prompt that remains, above 0 and at most 1 (default: 0.05).",
            order = 3)
    private Optional<String> keep = Optional.empty();

    @Option(names = "--json", description = "Print one JSON object.", order = 4)
    private boolean json;

    @Override
    int run() {
        ModelChoice choice = choose(model.model());
        CompressionSettings settings = settings(choice);
        Map<String, Object> variables = new LinkedHashMap<>();
        JsonNode body = CliJson.parseObject(TextFile.read("--input", input), input.toString());
        List<Map<String, Object>> messages = messages(body.path("messages"));
        if (body.path("tools").isArray() && !body.path("tools").isEmpty()) {
            variables.put("tools", CliJson.plain(body.get("tools")));
        }
        PreparedModel prepared =
                PreparedModel.open(
                        model.host(model.settings(), environment(), false, Optional.of(settings)),
                        new ModelLoadLog(model));
        ChatRenderer chat =
                ChatTemplateLoader.open(
                                Optional.empty(),
                                prepared.model().file(),
                                prepared.tokenizer(),
                                this::printMessage)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "--model: expected a model with a chat template"));
        try (ProxyPrefillDrafter drafter = prepared.openDrafter()) {
            show(drafter.compressor(), chat, messages, variables);
        }
        return 0;
    }

    private CompressionSettings settings(ModelChoice choice) {
        KeepRatio ratio =
                keep.map(text -> CompressionArguments.ratio("--keep", text))
                        .orElse(KeepRatio.USUAL);
        ConversationCompressionSettings options =
                ConversationCompressionSettings.of(CompressionMode.ALWAYS, 0, ratio);
        return CompressionSettings.of(
                PrefillDrafterOption.file(drafter, environment(), choice.isDemo())
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "--drafter: expected the file of a prefill drafter,"
                                                        + " found none")),
                options);
    }

    private List<Map<String, Object>> messages(JsonNode given) {
        List<Map<String, Object>> messages = new ArrayList<>();
        for (JsonNode each : given) {
            if (!(CliJson.plain(each) instanceof Map<?, ?> fields) || fields.get("role") == null) {
                throw new UsageException(
                        "--input: " + input + ": expected messages with a role and content");
            }
            Map<String, Object> message = new LinkedHashMap<>();
            fields.forEach((name, value) -> message.put(name.toString(), value));
            message.put("content", new PromptMessage(Map.copyOf(known(message))).text());
            messages.add(message);
        }
        if (messages.isEmpty()) {
            throw new UsageException("--input: " + input + ": expected messages, found none");
        }
        return messages;
    }

    private static Map<String, Object> known(Map<String, Object> message) {
        Map<String, Object> known = new LinkedHashMap<>(message);
        known.values().removeIf(value -> value == null);
        return known;
    }

    private void show(
            ConversationCompressor compressor,
            ChatRenderer chat,
            List<Map<String, Object>> messages,
            Map<String, Object> variables) {
        int tokens = chat.render(with(variables, messages)).tokens().length;
        Optional<CompressedConversation> shorter =
                compressor.compress(
                        new ConversationCompressor.Conversation(
                                messages,
                                each -> chat.text(with(variables, each)),
                                each -> chat.render(with(variables, each)).tokens().length),
                        CompressionOverrides.USUAL,
                        () -> false);
        if (shorter.isEmpty()) {
            printMessage("the command cannot remove any of the " + tokens + " tokens");
            if (json) {
                out().println(CliJson.write(CliJson.object().put("prompt_tokens", tokens)));
            }
            return;
        }
        CompressionReport report =
                shorter.get()
                        .report(
                                tokens,
                                chat.render(with(variables, shorter.get().messages()))
                                        .tokens()
                                        .length);
        CompressedText text = shorter.get().whole().orElseThrow();
        boolean colours =
                environment().terminals().contains(Environment.Stream.OUT)
                        && environment().variable("NO_COLOR").isEmpty();
        if (json) {
            out().println(CliJson.write(CompressionView.json(report, shorter.get(), text)));
        } else {
            out().println(CompressionView.text(text, colours));
        }
        out().flush();
        printMessage(
                String.format(
                        Locale.ROOT,
                        "kept %d of %d tokens (%.1f %%, requested %.1f %%); scored in %.0f ms",
                        report.effectiveTokens(),
                        tokens,
                        100 * report.keepActual(),
                        100 * report.keepRequested(),
                        report.times().scoreMillis()));
    }

    private static Map<String, Object> with(
            Map<String, Object> variables, List<Map<String, Object>> messages) {
        Map<String, Object> all = new LinkedHashMap<>(variables);
        all.put("messages", messages);
        return all;
    }
}
