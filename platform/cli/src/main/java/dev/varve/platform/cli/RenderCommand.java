package dev.varve.platform.cli;

import dev.varve.platform.template.ChatTemplate;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Renders a chat template. */
@Command(
        name = "render",
        addMethodSubcommands = false,
        description = {
            "Renders a chat template and prints the prompt.",
            "The input is a JSON object with the template's variables: messages, tools,"
                    + " add_generation_prompt, …"
        },
        footer = {
            "  varve render --template chat.jinja --input chat.json",
            "  where chat.json holds {\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],",
            "       \"add_generation_prompt\":true}"
        })
final class RenderCommand extends CliCommand {
    @Option(
            names = "--template",
            required = true,
            paramLabel = "FILE",
            description = "Jinja template.")
    private Path template;

    @Option(
            names = "--input",
            required = true,
            paramLabel = "FILE",
            description = "JSON object with the variables.")
    private Path input;

    @Override
    int run() {
        ChatTemplate compiled = ChatTemplate.compile(TextFile.read("--template", template));
        Map<String, Object> variables = new LinkedHashMap<>();
        CliJson.parseObject(TextFile.read("--input", input), input.toString())
                .properties()
                .forEach(entry -> variables.put(entry.getKey(), CliJson.plain(entry.getValue())));
        variables.putIfAbsent("add_generation_prompt", false);
        // No newline is added: it would look like part of the prompt.
        out().print(compiled.render(variables).text());
        if (environment().terminals().contains(Environment.Stream.OUT)) {
            out().println();
        }
        return 0;
    }
}
