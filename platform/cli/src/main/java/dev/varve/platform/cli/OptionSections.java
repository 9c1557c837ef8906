package dev.varve.platform.cli;

import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.OptionSpec;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of a command under headings, by their {@code order}; rarely used ones come last. */
final class OptionSections implements IHelpSectionRenderer {
    /** First order of the flags for the reasoning of a model. */
    static final int REASONING = 70;

    /** First order of the flags that say which devices compute. */
    static final int DEVICES = 100;

    /** First order of the flags for memory and threads. */
    static final int MEMORY = 200;

    /** First order of the flags of the prefix cache, in host memory, on disk and shared. */
    static final int CACHE = 215;

    /** First order of the flags that bound the attention cache. */
    static final int PAGING = 230;

    /** First order of the flags of speculative decoding. */
    static final int SPECULATION = 250;

    /** First order of the flags of image input. */
    static final int IMAGES = 260;

    /** First order of the flags of embeddings. */
    static final int EMBEDDINGS = 265;

    /** First order of the flags of prompt compression. */
    static final int COMPRESSION = 270;

    /** First order of the flags for shards in other processes. */
    static final int PROCESSES = 300;

    /** First order of the flags that few people need. */
    static final int RARE = 400;

    /** Options with an order from {@code begin} on, up to the next section. */
    private record Section(int begin, String heading) {}

    private static final List<Section> SECTIONS =
            List.of(
                    new Section(0, "Options:"),
                    new Section(10, "Server:"),
                    new Section(50, "Sampling:"),
                    new Section(REASONING, "Reasoning:"),
                    new Section(DEVICES, "Devices:"),
                    new Section(MEMORY, "Memory and threads:"),
                    new Section(CACHE, "Prefix cache:"),
                    new Section(PAGING, "Bounded attention cache (KV Flash):"),
                    new Section(SPECULATION, "Speculative decoding:"),
                    new Section(IMAGES, "Image input:"),
                    new Section(EMBEDDINGS, "Embeddings:"),
                    new Section(COMPRESSION, "Prompt compression:"),
                    new Section(PROCESSES, "Shards in other processes and on other hosts:"),
                    new Section(RARE, "Rarely needed:"),
                    new Section(800, "General:"));

    @Override
    public String render(Help help) {
        HelpText text = new HelpText();
        of(help).forEach(
                        (heading, options) -> {
                            text.line("").line(heading);
                            options.forEach(
                                    each ->
                                            text.entry(
                                                    indent(each) + OptionHelp.names(each),
                                                    OptionHelp.of(each).summary()));
                        });
        if (!help.commandSpec().qualifiedName().equals(help.commandSpec().root().name())) {
            text.line("")
                    .paragraph(
                            "Full descriptions: "
                                    + help.commandSpec().root().name()
                                    + " man"
                                    + help.commandSpec()
                                            .qualifiedName()
                                            .substring(help.commandSpec().root().name().length())
                                    + " | man -l -",
                            2);
        }
        return text.toString();
    }

    /** Returns the space before names, so that long ones are in one column. */
    private static String indent(OptionSpec option) {
        return option.names()[0].startsWith("--") ? "      " : "  ";
    }

    /** The options that help shows, by their headings and in their order. */
    static Map<String, List<OptionSpec>> of(Help help) {
        Map<String, List<OptionSpec>> sections = new LinkedHashMap<>();
        for (int i = 0; i < SECTIONS.size(); i++) {
            Section section = SECTIONS.get(i);
            int end = i + 1 < SECTIONS.size() ? SECTIONS.get(i + 1).begin() : Integer.MAX_VALUE;
            List<OptionSpec> options =
                    help.commandSpec().options().stream()
                            .filter(option -> !option.hidden())
                            .filter(option -> inside(order(option), section.begin(), end))
                            .sorted(Comparator.comparingInt(OptionSections::order))
                            .toList();
            if (!options.isEmpty()) {
                sections.put(section.heading(), options);
            }
        }
        return sections;
    }

    private static boolean inside(int order, int begin, int end) {
        return order >= begin && order < end;
    }

    /** Options without an order are the command's own; help and version come last. */
    private static int order(OptionSpec option) {
        if (option.usageHelp() || option.versionHelp()) {
            return Integer.MAX_VALUE - 1;
        }
        return Math.max(0, option.order());
    }
}
