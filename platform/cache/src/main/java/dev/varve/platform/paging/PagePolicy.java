package dev.varve.platform.paging;

import dev.varve.platform.setting.Setting;

import java.util.Locale;

/** Policy that decides which pages of a sequence stay in its pool. */
public enum PagePolicy {
    /** Scores of a prefill drafter that reads the history; needs one. */
    DRAFTER,
    /** The least recently used page leaves. */
    LRU,
    /** Scores of the model's own queries. */
    QK;

    /** Name in settings and responses, such as {@code qk}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Creates the error for {@link #DRAFTER} without a prefill drafter. */
    public static IllegalArgumentException withoutDrafter() {
        return new IllegalArgumentException(
                Setting.KVFLASH_POLICY
                        + ": "
                        + DRAFTER.word()
                        + " needs "
                        + Setting.PREFILL_DRAFTER
                        + ", a small model that scores tokens");
    }
}
