"""Mail by Amazon SES."""

from __future__ import annotations

from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from hansang.parts.mail import Mail
from hansang.parts.outbox import NotSent


class SesMailer:
    """Sends by SES, with the rights of the server."""

    def __init__(self, region: str, client: Any = None) -> None:
        self._client = client or boto3.client("sesv2", region_name=region or None)

    def send(self, mail: Mail) -> None:
        """Send a mail; what SES refuses has certainly not arrived."""
        raw = {"Raw": {"Data": mail.message().as_bytes()}}
        try:
            self._client.send_email(
                FromEmailAddress=mail.sender, Destination={"ToAddresses": [mail.to]}, Content=raw
            )
        except ClientError as fault:
            raise NotSent(f"SES refuses the mail: {fault}") from fault
        except BotoCoreError as fault:
            raise ConnectionError(f"SES cannot be reached: {fault}") from fault
