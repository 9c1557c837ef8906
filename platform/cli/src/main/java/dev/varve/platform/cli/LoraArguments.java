package dev.varve.platform.cli;

import dev.varve.platform.host.LoraSettings;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;

/** Options of LoRA adapters. */
final class LoraArguments {
    private static final String LORA = "--lora";

    @Option(
            names = LORA,
            paramLabel = "FILE[=SCALE]",
            description =
                    "LoRA adapter of the model (GGUF), whose changes count SCALE times or once."
                            + " Repeatable. Of several models for the first.",
            order = 2)
    private List<String> adapters = List.of();

    @Option(
            names = "--lora-init-without-apply",
            description =
                    "Load LoRA adapters with scale 0: they change nothing until a request or"
                            + " POST /lora-adapters sets a scale.",
            order = 2)
    private boolean withoutApply;

    /**
     * Returns the adapters in their order.
     *
     * @throws UsageException if a scale is no finite number
     */
    List<LoraSettings> settings() {
        return adapters.stream()
                .map(LoraArguments::parse)
                .map(each -> withoutApply ? new LoraSettings(each.file(), 0) : each)
                .toList();
    }

    /** The last equals sign begins the scale. */
    private static LoraSettings parse(String text) {
        int equals = text.lastIndexOf('=');
        if (equals < 0) {
            return new LoraSettings(Path.of(text), 1);
        }
        String number = text.substring(equals + 1);
        float scale;
        try {
            scale = Float.parseFloat(number);
        } catch (NumberFormatException e) {
            scale = Float.NaN;
        }
        if (equals == 0 || !Float.isFinite(scale)) {
            throw new UsageException(
                    LORA + ": expected FILE or FILE=SCALE with a finite number, found " + text);
        }
        return new LoraSettings(Path.of(text.substring(0, equals)), scale);
    }
}
