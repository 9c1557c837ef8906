// Schema of an object that clients request. Its parts are short enough for a small model.
import { z } from 'zod';

export const Forecast = z.object({
  city: z.enum(['Bern', 'Paris', 'Rome']),
  sunny: z.boolean(),
  wind: z.object({
    strength: z.enum(['calm', 'fresh', 'storm']),
    warning: z.boolean().nullable(),
  }),
});
