"""What whoever runs the site has chosen."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hansang.errors import SettingsError


@dataclass(frozen=True, slots=True)
class CodexSettings:
    """How long inquiries are kept, how many one address may send, and how mail and the site are made."""

    inquiry_days: int = 1095
    """For how many days an inquiry is kept; 0 for good. Three years, as long as the law has complaints kept."""
    inquiries_a_minute: int = 5
    """How many inquiries one address may send a minute, to each worker."""
    public: bool = False
    """Whether everyone may read the site at /site and write to the company there."""
    site_url: str = ""
    """Where visitors reach the site, if that is not /site of the public URL: https://www.example.com."""
    cdn: tuple[str, ...] = ()
    """Where pictures may come from beside this server: https://cdn.example.com."""
    naver: str = ""
    """What Naver Search Advisor wants to find in the pages of the site."""
    pictures: str = ""
    """Where pictures are kept: a folder, or s3://BUCKET/PREFIX; by default a folder beside the data file."""
    sync_to: str = ""
    """Where changes are copied to: file:PATH, table:PLACE#TABLE or an https address; without it, nowhere."""
    sync_secret: str = ""
    """The secret that changes are signed with when they are sent to an address."""
    migrate_from: tuple[str, ...] = ()
    """Where the pages may migrate old tables from: places such as aws:REGION or a data file, or here; without it, none."""
    migrate_mapping: str = ""
    """The file with the mapping of a migration; by default the sample one."""
    mail: str = ""
    """What sends mail about inquiries: smtp://HOST:PORT, smtps://USER:PASSWORD@HOST, ses:REGION; without it, none is."""
    mail_from: str = ""
    """The sender of mails; by default the address of the company."""
    mail_reply: bool = False
    """Whether a visitor is mailed that the inquiry has arrived."""

    def __post_init__(self) -> None:
        if self.inquiry_days < 0:
            raise SettingsError(
                f"Inquiries cannot be kept for {self.inquiry_days} days. Give a number, or 0 for good."
            )

        if self.mail and self.mail.partition(":")[0] not in ("smtp", "smtps", "ses"):
            raise SettingsError(
                f"Mail cannot be sent by {self.mail.partition(':')[0]}. "
                "Give smtp://HOST:PORT, smtps://USER:PASSWORD@HOST or ses:REGION."
            )

        if self.inquiries_a_minute < 1:
            raise SettingsError(
                f"At least one inquiry a minute has to be possible, not {self.inquiries_a_minute}."
            )

        if self.pictures.startswith("s3:") and not _BUCKET.fullmatch(self.pictures):
            raise SettingsError(
                f"{self.pictures} is not a valid bucket. Give s3://BUCKET or s3://BUCKET/PREFIX."
            )

        for each in (*self.cdn, *([self.site_url] if self.site_url else [])):
            if not _ORIGIN.fullmatch(each):
                raise SettingsError(
                    f"{each} is not a valid origin. Give a scheme and a host: https://www.example.com."
                )

    def shows(self, address: str | None) -> bool:
        """Whether our pages may load a picture: it is of this server, or of an origin of the CDN."""
        if not address:
            return False
        return _OWN.match(address) is not None or any(address.startswith(f"{each}/") for each in self.cdn)


_OWN = re.compile(r"/(?![/\\])")
_BUCKET = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^?#]*)?")
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?")


def is_public(settings: CodexSettings | None) -> bool:
    """Whether everyone may read the site."""
    return settings is not None and settings.public
