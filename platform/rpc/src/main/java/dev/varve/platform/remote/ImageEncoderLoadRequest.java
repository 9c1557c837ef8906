package dev.varve.platform.remote;

import dev.varve.platform.wire.Message;

import java.time.Duration;

/**
 * Request to load an image encoder in a shard process.
 *
 * @param projector file of the encoder, which the process finds by its name
 * @param device device that computes it
 * @param turn time after which the encoder releases its device between parts of an image
 */
public record ImageEncoderLoadRequest(
        FileReference projector, ShardLoadRequest.Device device, Duration turn) {
    private static final int MOST_MILLIS = 3_600_000;

    Message encode() {
        FieldWriter fields = new FieldWriter();
        projector.put(fields);
        fields.text(device.name());
        device.putOptions(fields);
        fields.number((int) Math.min(MOST_MILLIS, turn.toMillis()));
        return Message.of(MessageType.LOAD_IMAGES, fields.done());
    }

    static ImageEncoderLoadRequest decode(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        FileReference projector = FileReference.get(fields);
        ShardLoadRequest.Device device = ShardLoadRequest.Device.get(fields);
        Duration turn = Duration.ofMillis(fields.number("turn", 0, MOST_MILLIS));
        fields.end();
        return new ImageEncoderLoadRequest(projector, device, turn);
    }
}
