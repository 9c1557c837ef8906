package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.PreTokenizer;
import dev.varve.platform.tokenizer.Tokenizer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Map;
import java.util.Optional;

/** Shows the token ids of a text. */
@Command(
        name = "tokenize",
        addMethodSubcommands = false,
        description = {
            "Prints the token ids of a text as a JSON array.",
            "The command reads only the tokenizer of the model, not its weights. It adds no bos"
                    + " token."
        },
        footer = {
            "  varve tokenize --model model.gguf --text 'Hello, world'",
            "  varve tokenize --model model.gguf --parse-special --text '<|im_start|>user'"
        })
final class TokenizeCommand extends CliCommand {
    @Mixin private ModelOption model;
    @Mixin private PluginOptions plugins;

    @Option(
            names = "--text",
            required = true,
            paramLabel = "TEXT",
            description = "Text to tokenize.")
    private String text;

    @Option(names = "--parse-special", description = "Recognise control tokens in the text.")
    private boolean parseSpecial;

    @Override
    int run() {
        GgufFile file = GgufFile.open(choose(model).file());
        Map<String, PreTokenizer> preTokenizers =
                Optional.ofNullable(
                                plugins.discover(environment()).families().get(file.architecture()))
                        .map(ModelFamilyProvider::preTokenizers)
                        .orElse(Map.of());
        Tokenizer tokenizer = Tokenizer.of(file, preTokenizers);
        out().println(CliJson.write(CliJson.array(tokenizer.encode(text, parseSpecial))));
        return 0;
    }
}
