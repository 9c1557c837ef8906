package dev.varve.api.model;

/**
 * A tool that a request declares.
 *
 * <p>Implemented by the platform alone. Grows: later versions may add to it, and what is there
 * stays.
 */
public interface CallableTool {
    /** Name by which it is called, not empty. */
    String name();

    /** JSON schema of the arguments, as the client gave it; an empty object where it gave none. */
    String schema();

    /**
     * The JSON of an argument that the model wrote as raw text: after the schema a string, a
     * number, a boolean, null, an object or an array; where neither schema nor text tell, a string.
     *
     * @param key name of the argument
     * @param text what the model wrote, without markup
     */
    String argument(String key, String text);
}
