package dev.varve.platform.http.serving;

import dev.varve.platform.http.model.ServedModel;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * Facts about a model that are known without loading it.
 *
 * @param id name for clients
 * @param title display name
 * @param architecture {@code general.architecture} of the file
 * @param context context lengths
 * @param createdSeconds time of the file, in seconds since 1970
 * @param capabilities expected capabilities
 */
public record ModelOutline(
        String id,
        String title,
        String architecture,
        Context context,
        long createdSeconds,
        Set<ModelCapability> capabilities) {
    /**
     * Context lengths of a model.
     *
     * @param trainedTokens context that the model was trained for
     * @param offeredTokens context that a request may use
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

    /** Makes the outline of a loaded model. */
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
