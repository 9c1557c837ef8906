package dev.varve.platform.http.conversation;

/** Position at which generation begins. */
public enum GenerationPromptMode {
    /** After the last message. */
    RESPONSE,
    /** Inside the last message, which is an assistant's. */
    CONTINUE,
    /** Nowhere: the prompt ends with the last message. */
    NONE
}
