package dev.varve.platform.http.serving;

import dev.varve.platform.http.model.ServedModel;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * What is known of a model without loading it.
 *
 * @param id name for clients
 * @param title name for people
 * @param architecture {@code general.architecture} of the file
 * @param context how long its texts may be
 * @param createdSeconds time of the file, in seconds since 1970
 * @param capabilities what to expect of it
 */
public record ModelOutline(
        String id,
        String title,
        String architecture,
        Context context,
        long createdSeconds,
        Set<ModelCapability> capabilities) {
    /**
     * How long texts may be.
     *
     * @param trainedTokens what the model was trained for
     * @param offeredTokens what a request will get of it
     */
    public record Context(int trainedTokens, int offeredTokens) {}

    /** Copies the set. */
    public ModelOutline {
        Objects.requireNonNull(id);
        Objects.requireNonNull(title);
        Objects.requireNonNull(architecture);
        Objects.requireNonNull(context);
        capabilities = EnumSet.copyOf(capabilities);
    }

    @Override
    public Set<ModelCapability> capabilities() {
        return EnumSet.copyOf(capabilities);
    }

    /** Of a model that is loaded now. */
    public static ModelOutline of(ServedModel served, String title) {
        return new ModelOutline(
                served.description().id(),
                title,
                served.description().architecture(),
                new Context(
                        served.description().trainedContextTokens(),
                        served.engine().status().load().contextTokens()),
                System.currentTimeMillis() / 1000,
                ModelCapability.of(served));
    }
}
