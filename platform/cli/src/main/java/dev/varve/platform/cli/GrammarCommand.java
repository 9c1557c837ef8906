package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.PreTokenizer;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.tokenizer.Tokenizer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Reports which parts of a schema or a grammar can be enforced. */
@Command(
        name = "grammar",
        addMethodSubcommands = false,
        description = {
            "Checks whether the server can enforce a JSON schema or a grammar.",
            "check FILE reads a JSON schema, or a grammar in GBNF if the name ends in .gbnf, and"
                + " reports unsupported parts (exit status 1). test --schemas FILE reads one line"
                + " {name, schema, tests: [{valid, data}]} per schema, plain or gzipped. It reports"
                + " which values the model can generate with its tokens, and the time."
        },
        footer = {
            "  varve grammar check answer.schema.json",
            "  varve grammar check list.gbnf",
            "  varve grammar test --schemas schemas.jsonl.gz --model model.gguf --json"
        })
final class GrammarCommand extends CliCommand {
    /** Action of the command. */
    enum Action {
        CHECK,
        TEST
    }

    @Parameters(index = "0", paramLabel = "ACTION", description = "check or test.")
    private Action action;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FILE",
            description = "check: the schema or grammar.")
    private Optional<Path> file = Optional.empty();

    @Option(
            names = "--schemas",
            paramLabel = "FILE",
            description =
                    "test: file with one JSON line per schema and its values; gzipped if the name"
                            + " ends in .gz.")
    private Optional<Path> schemas = Optional.empty();

    @Option(names = "--json", description = "Print JSON: one object, or one per schema.")
    private boolean json;

    @Mixin private ModelOption model;
    @Mixin private PluginOptions plugins;

    @Override
    int run() throws IOException {
        return switch (action) {
            case CHECK ->
                    check(
                            file.orElseThrow(
                                    () -> missing("check", "FILE", "a schema or a grammar")));
            case TEST -> test(schemas.orElseThrow(() -> missing("test", "--schemas", "a file")));
        };
    }

    private static UsageException missing(String action, String name, String expected) {
        return new UsageException(
                name + ": grammar " + action + " expects " + expected + ", found none");
    }

    private int check(Path path) {
        Optional<GrammarException> refusal = refusal(path);
        if (json) {
            ObjectNode object = CliJson.object();
            object.put("file", path.toString());
            object.put("supported", refusal.isEmpty());
            refusal.ifPresent(
                    refused -> {
                        object.put("path", refused.path());
                        object.put("reason", refused.getMessage());
                    });
            out().println(CliJson.write(object));
        } else {
            out().println(
                            refusal.map(
                                            refused ->
                                                    path
                                                            + ": "
                                                            + (refused.path().isEmpty()
                                                                    ? ""
                                                                    : refused.path() + ": ")
                                                            + refused.getMessage())
                                    .orElse(path + ": can be enforced"));
        }
        return refusal.isEmpty() ? 0 : 1;
    }

    private static Optional<GrammarException> refusal(Path path) {
        String text = TextFile.read("FILE", path);
        TextGrammarSource source =
                path.toString().endsWith(".gbnf")
                        ? new TextGrammarSource.Rules(text)
                        : new TextGrammarSource.Schema(CliJson.parseExact(text, path.toString()));
        try {
            GrammarCompiler.check(source);
            return Optional.empty();
        } catch (GrammarException e) {
            return Optional.of(e);
        }
    }

    private int test(Path path) throws IOException {
        GgufFile gguf = GgufFile.open(choose(model).file());
        Map<String, PreTokenizer> preTokenizers =
                Optional.ofNullable(
                                plugins.discover(environment()).families().get(gguf.architecture()))
                        .map(ModelFamilyProvider::preTokenizers)
                        .orElse(Map.of());
        SchemaTrialRunner trials =
                new SchemaTrialRunner(Tokenizer.of(gguf, preTokenizers), out(), json);
        try {
            return trials.run(path);
        } catch (NoSuchFileException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE, path + ": no such file", e);
        }
    }
}
