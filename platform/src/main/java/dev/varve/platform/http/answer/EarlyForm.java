package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.setting.SettingNames;

import java.util.List;

/** What a stream may say as long as it is not known how its answer is written. Thread-safe. */
public interface EarlyForm {
    /** That of OpenAI's streams of objects without names. */
    EarlyForm OPENAI =
            (error, names) ->
                    List.of(new StreamEvent.Data(ErrorForm.OPENAI.body(error, names, "")));

    /**
     * The events of a request that failed; no others but signs of life were sent.
     *
     * @param names what settings are called
     */
    List<StreamEvent> failure(ApiException error, SettingNames names);

    /** An event for a client that has to wait, which needs no place among others. */
    default StreamEvent waiting() {
        return new StreamEvent.Comment("waiting");
    }
}
