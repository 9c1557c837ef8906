package dev.varve.spring;

import dev.varve.embedded.Isolation;
import dev.varve.embedded.Reasoning;
import dev.varve.embedded.Sampling;
import dev.varve.embedded.VarveOptions;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Properties of the model. All but the file may be null, which leaves the default of {@link
 * VarveOptions}.
 *
 * @param model GGUF file, any part of a split one
 * @param devices devices in layer order, separated by commas
 * @param split share of the layers of each device, or {@code auto}
 * @param contextTokens most tokens of one chat, prompt and response together
 * @param parallel most responses that are computed together
 * @param threads threads on the processor
 * @param isolation where native code runs
 * @param cacheFolder folder for unpacked libraries, which no other user may write to
 * @param temperature temperature of requests that set none
 * @param topP probability of the tokens that are drawn from, of requests that set none
 * @param topK number of the tokens that are drawn from, of requests that set none
 * @param seed start of the random generator
 * @param thinking whether the model reasons
 * @since 0.1.0
 */
@ConfigurationProperties("varve")
public record VarveProperties(
        Path model,
        String devices,
        String split,
        Integer contextTokens,
        @DefaultValue("4") int parallel,
        Integer threads,
        @DefaultValue("none") Isolation isolation,
        Path cacheFolder,
        Double temperature,
        Double topP,
        Integer topK,
        Long seed,
        Boolean thinking) {
    /** Returns the options that the properties set. */
    VarveOptions options() {
        VarveOptions defaults = VarveOptions.DEFAULT;
        return new VarveOptions(
                Optional.ofNullable(devices),
                Optional.ofNullable(split),
                number(contextTokens),
                parallel,
                number(threads),
                isolation,
                Optional.ofNullable(cacheFolder),
                defaults.chatTemplate(),
                sampling(),
                new Reasoning(Optional.ofNullable(thinking), OptionalInt.empty()),
                defaults.messages());
    }

    private Sampling sampling() {
        Sampling sampling = Sampling.DEFAULT;
        sampling = temperature == null ? sampling : sampling.temperature(temperature);
        sampling = topP == null ? sampling : sampling.topP(topP);
        sampling = topK == null ? sampling : sampling.topK(topK);
        return seed == null ? sampling : sampling.seed(seed);
    }

    private static OptionalInt number(Integer value) {
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }
}
